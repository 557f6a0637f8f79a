// What all abrupt ends of a process have in common: which process ends, that only one thread
// handles it, and the mark in the record.
#pragma once

#include <cstdint>

#include "record/process_record.hpp"

namespace vftrace {

// True if this process records: not in a child of vfork, nor in one of fork before its first event.
bool process_is_ours();

// To be called by a thread that is about to end the process. Returns for the first one only, and
// for that one again; others stay here until the process is gone.
void be_the_one_to_end();

// The same for a thread that wants to end the run in the ordinary way: it stays here if another
// one is dying.
void wait_if_dying();

// Stops all other threads in the handler of the signal `number`, which must be one of
// ours (signals.hpp): without us they would be dead by now.
void stop_other_threads(int number);

// Writes into the record how and when the process ends.
void mark_end(ProcessState state, int code);

}  // namespace vftrace
