// The ends of a process that bypass the library's destructor: signals, _exit, quick_exit, exec.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// Called when the library starts. start_signals() (signals.hpp) does the part that must wait until
// there is something to lose, and must work in any context.
void prepare_ends(const Options& options);

}  // namespace vftrace
