// vftrace as a tool of OpenMP libraries that have OMPT, such as LLVM's and those derived from it.
#pragma once

namespace vftrace {

// Whether an OpenMP library reports its events to us.
bool ompt_is_active();

// The next `single` region that the library reports is one whose end it will not report.
void announce_single_without_end();
// The next task that it reports is created at this place in the program, whatever the library
// reports.
void announce_task_at(const void* code);

}  // namespace vftrace
