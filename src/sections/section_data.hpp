// What the program asks of its own sections.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"

namespace vftrace {

// As vftrace_section_data() in vftrace/sections.h says.
int section_data(int figure, const char* name, int options, double* value);

// Calls work(index, now) with what all threads have done until now, in ticks, where memory may run
// out. Returns an enum vftrace_section_error.
class SectionIndex;
int ask_sections(FunctionRef<void(SectionIndex&, std::uint64_t)> work);

// Seconds a tick of the tree's clock is long.
double seconds_per_tick();

// In a child of fork: what is known is about its parent.
void forget_section_index();

}  // namespace vftrace
