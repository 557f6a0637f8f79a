// What all abrupt ends of a process have in common: finding out which process ends, having only one
// thread handle it, and marking the end in the record.
#pragma once

#include <cstdint>

#include "record/process_record.hpp"

namespace vftrace {

// True if this process records: false in a child of vfork, and in a child of fork before its first
// event.
bool process_is_ours();

// To be called by a thread that is about to end the process. Returns only for the first such
// thread, also when that one calls again; others stay here until the process is gone.
void be_the_one_to_end();

// The same for a thread that must not continue while another one is ending the process, such as one
// that is about to end the run in the ordinary way: it stays here then.
void wait_if_dying();
bool another_thread_ends_process();

// Sends the signal to all other threads of this process, except those that wait for signals.
void signal_other_threads(int number);
bool has_other_threads();

// Writes into the record how and when the process ends. Makes no system call, and leaves out the
// processor time, if the program has been seen to limit its system calls.
void mark_end(ProcessState state, int code);

// The same for a process in which any system call may be fatal, even getpid: children of fork,
// whose end this is not, are recognised by memory that is wiped in them.
void mark_end_without_system_calls(ProcessState state, int code);

}  // namespace vftrace
