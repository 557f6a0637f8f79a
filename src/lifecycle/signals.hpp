// Signals that kill: the tree file is turned into a profile before they do.
#pragma once

#include <csignal>

#include "config/options.hpp"

namespace vftrace {

// From now on signals whose action is to kill, and that the program has not taken or ignored, leave
// a profile, if there is a tree file; and snapshot.signal makes a snapshot. Wait status, core dump
// and what the program can ask about signals are as without. Called when the record is made, in a
// child of fork again.
void start_signals(const Options& options);

// The run is over and the file gone: the default actions are back.
void stop_signals();

// A signal that would call our handler now, or 0 if the program has taken them all.
int signal_to_stop_threads();

}  // namespace vftrace
