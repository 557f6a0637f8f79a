// Removes the calls of hooks from many functions at once, before the program runs.
//
// Each body is scanned once and each page of code is written once, whereas calls that report
// themselves (hook_calls.hpp) need several passes and system calls each. What one pass cannot
// decide is left to that method.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace vftrace {

// Removes the calls from those functions in the modules at these addresses that `chosen` selects,
// and returns the functions that were changed. A function whose calls cannot be removed safely, or
// not at all, is left unchanged. Allocates memory.
std::vector<std::uintptr_t> remove_hook_calls_of(const std::vector<std::uintptr_t>& modules,
                                                 bool (*chosen)(std::uintptr_t function));

// Removes all calls of hooks in these modules that can be removed, whatever function they are for:
// for a program that is not measured. Those that are removed for good cannot be restored, which
// takes half the time. Allocates memory.
enum class Removal { can_be_undone, for_good };
void remove_all_hook_calls(const std::vector<std::uintptr_t>& modules, Removal removal);

}  // namespace vftrace
