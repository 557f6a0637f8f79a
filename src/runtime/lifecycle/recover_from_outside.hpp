// Starts `vftrace recover` on the tree file of this process when the process itself can no longer
// write a profile: in the handler of a fatal signal, in _exit, before exec.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// Finds the command and copies the part of the environment that it needs. Called when the library
// starts.
void prepare_recovery(const Options& options);

// Runs `vftrace recover --quiet --from-process PID [extra arguments] FILE` without a parent, in a
// separate session, and waits for its end (at most a minute) if `wait` is set. `extra_arguments`
// ends with a nullptr.
//
// Returns true if the command was started and, if waited for, did not report failure. If it cannot
// be started, a line on stderr explains how to create the profile by hand. Only system calls are
// made, on a separate stack: this may be called in any signal handler, by any thread. Keeps errno.
bool start_recovery(const char* const* extra_arguments, bool wait);

// Starts a process in the background that writes the profile so far every tree_file.copy_interval
// seconds and ends when the tree file is gone. Does nothing if the interval is 0. Otherwise as
// above.
void start_copies(const Options& options);

// Runs `vftrace report` in the same way, which prints the profile in this JSON file on stderr, and
// waits for it.
void start_report(const char* file);

// Runs `vftrace filter` in the same way, which writes options for gcc to the file `filter`, from
// the profile in the JSON file `profile`. Returns whether it succeeded.
bool start_filter(const char* profile, const char* filter);

}  // namespace vftrace
