// The source `files`.
#include "config/options.hpp"
#include "files/file_calls.hpp"
#include "files/open_files.hpp"
#include "tree/source.hpp"

namespace vftrace {

// Recording begins last, because other sources look at files when the program begins.
constexpr Source files_source = {.prepare =
                                     [](const Options& options) {
                                         if (options.io_active)
                                             prepare_file_calls();
                                     },
                                 .begin = [] { record_file_calls(true); },
                                 .thread_ends = end_file_calls,
                                 .forget_parent = forget_files,
                                 .finish =
                                     [](ThreadState* own) {
                                         record_file_calls(false);
                                         if (own)
                                             end_file_calls(*own);
                                     }};

}  // namespace vftrace
