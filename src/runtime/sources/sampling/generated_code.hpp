// Code that the program has generated while it runs: whether there is a list of its functions.
#pragma once

#include <cstdint>

namespace vftrace {

// What samples in code outside of all files count for: the page, or, if the program writes a list
// of its generated functions (symbol/perf_map.hpp), the block (record/function_place.hpp), which is
// looked up in the list when the run ends. Looks for the list from time to time, by one system
// call. Async-signal-safe.
std::uintptr_t generated_code_key(std::uintptr_t pc);

}  // namespace vftrace
