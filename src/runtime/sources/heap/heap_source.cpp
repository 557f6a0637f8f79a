// The source `heap`.
#include "config/options.hpp"
#include "heap/first_touch.hpp"
#include "heap/heap_profile.hpp"
#include "tree/source.hpp"

namespace vftrace {

constexpr Source heap_source = {
    .prepare =
        [](const Options& options) {
            const HeapProfile what = options.memory_profile == "all"       ? HeapProfile::all
                                     : options.memory_profile == "sampled" ? HeapProfile::sampled
                                                                           : HeapProfile::off;
            if (watch_allocations(what, static_cast<std::uint64_t>(options.memory_sample_bytes),
                                  options.section_memory == "allocations"))
                watch_first_touch(options.memory_nodes);
        },
    .process_begins = begin_heap_profile,
    .forget_parent = forget_heap_profile,
    .finish = [](ThreadState*) { finish_heap_profile(); }};

}  // namespace vftrace
