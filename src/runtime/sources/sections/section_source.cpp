// The source `section`.
#include "queries/section_memory.hpp"
#include "sections/live_print.hpp"
#include "sections/section_data.hpp"
#include "sections/section_handles.hpp"
#include "sections/section_snapshots.hpp"
#include "tree/source.hpp"

namespace vftrace {

constexpr Source section_source = {.prepare =
                                       [](const Options& options) {
                                           prepare_section_memory(options);
                                           prepare_live_print(options);
                                           prepare_section_snapshots(options);
                                       },
                                   .forget_parent =
                                       [] {
                                           forget_section_keys();
                                           forget_section_index();
                                           forget_section_memory();
                                           forget_live_print();
                                           forget_section_snapshots();
                                       },
                                   .finish =
                                       [](ThreadState* own) {
                                           end_live_print();
                                           end_section_snapshots();
                                           finish_section_memory(own);
                                       }};

}  // namespace vftrace
