// The counters of one thread: reads them where its tree requests it, and adds up the counts.
#pragma once

#include <cstdint>

#include "counters/counter_source.hpp"
#include "record/counter_sums.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

// The counters to read; set once, before the first event.
struct CounterSetup {
    const CounterSource* source = nullptr;
    std::uint32_t counters = 0;
};
extern CounterSetup counter_setup;

// The part of counter_calls that works on threads; counters.cpp adds what is wanted.
extern const CounterCalls thread_counter_calls;

// To be called at the end of the run: reads once more, for the last sample of a trace, the exit of
// `init`. The calling thread no longer has open frames.
void trace_reading_at_end(ThreadState& state);

// To be called when the calling thread pauses, and when it continues.
void pause_thread_counters(ThreadState& state);
void resume_thread_counters(ThreadState& state);

// Closes what the source has opened for the calling thread, which ends.
void end_thread_counters(ThreadState& state);

// To be called at the end of the run, when recording has ended, for other threads that are still in
// calls that read: books what those have counted, as far as the source knows it.
void book_open_calls_of_other_threads(const ThreadState* own);

}  // namespace vftrace
