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

// The program limits its system calls: restores the default actions, because our handlers could not
// return.
void leave_signals_to_program();

// To be called after be_the_one_to_end(): stops all other threads, which would have ended by now
// without the library, in a handler of ours. If the program handles all signals itself, they
// continue, and the record says so.
void stop_other_threads();

}  // namespace vftrace
