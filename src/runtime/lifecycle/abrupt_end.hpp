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

// The same for a thread that is about to end the run in the ordinary way: it stays here if another
// thread is ending the process.
void wait_if_dying();

// Stops all other threads in the handler of the signal `number`, which must be one of ours
// (signals.hpp): without the library they would have ended by now.
void stop_other_threads(int number);

// Writes into the record how and when the process ends.
void mark_end(ProcessState state, int code);

}  // namespace vftrace
