// The ends of a process that bypass the library's destructor: signals, _exit, quick_exit, exec.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// Called when the library starts. What may only be done when there is something to lose, and in any
// surroundings, is start_signals() (signals.hpp).
void prepare_ends(const Options& options);

}  // namespace vftrace
