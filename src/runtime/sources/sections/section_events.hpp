// The functions with which the program begins and ends sections.
#pragma once

#include <vftrace/sections.h>

namespace vftrace {

// See vftrace/sections.h.
void begin_section(const vftrace_section* section);
void end_section(const vftrace_section* section);
void open_section(const vftrace_section* section, vftrace_section_mark* mark);
void close_section(const vftrace_section* section, const vftrace_section_mark* mark);

}  // namespace vftrace
