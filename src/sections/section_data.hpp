// What the program asks of its own sections.
#pragma once

namespace vftrace {

// As vftrace_section_data() in vftrace/sections.h says.
int section_data(int figure, const char* name, int options, double* value);

// In a child of fork: what is known is about its parent.
void forget_section_index();

}  // namespace vftrace
