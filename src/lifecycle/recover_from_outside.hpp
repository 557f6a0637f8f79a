// Starts `vftrace recover` on the tree file of this process when the process itself can no longer
// write a profile: in the handler of a fatal signal, in _exit, before exec.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// Finds the command and copies what it needs of the environment. Called when the library starts.
void prepare_recovery(const Options& options);

// Runs `vftrace recover --quiet --from-process PID [extra arguments] FILE` without a parent, in a
// session of its own, and waits for its end (a minute at most) if `wait` is set. `extra_arguments`
// ends with a nullptr.
//
// True if the command was started and, if waited for, did not say that it failed. If it cannot be
// started, a line on stderr says how to make the profile by hand. Only system calls are made, on a
// stack of our own: this may be called in any signal handler, by any thread. Keeps errno.
bool start_recovery(const char* const* extra_arguments, bool wait);

// Has the profile so far written every tree_file.copy_interval seconds by a process in the
// background, which ends when the tree file is gone. Does nothing if the interval is 0. As above.
void start_copies(const Options& options);

// Has `vftrace report` print the profile in this JSON file on stderr, likewise, and waits for it.
void start_report(const char* file);

// Has `vftrace filter` write what gcc reads, likewise, to `filter` from the profile in the JSON
// file `profile`. Returns whether it did.
bool start_filter(const char* profile, const char* filter);

}  // namespace vftrace
