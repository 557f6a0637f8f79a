// Signals that kill: before they do, the tree file is converted to a profile.
#pragma once

#include <csignal>

#include "config/options.hpp"

namespace vftrace {

// From now on signals whose action is to kill, and which the program does not handle or ignore,
// leave a profile if there is a tree file; and snapshot.signal makes a snapshot. Wait status, core
// dump and what the program can query about signals are the same as without the library. Called
// when the record is created, and again in a child of fork.
void start_signals(const Options& options);

// Restores the default actions, for a process that continues without a run. One that ends may keep
// the handlers, which do nothing more when the tree file is gone: each costs several system calls.
void stop_signals();

// A signal that would call our handler now, or 0 if the program handles all of them.
int signal_to_stop_threads();

}  // namespace vftrace
