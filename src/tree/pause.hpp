// vftrace_pause and vftrace_resume: time stops for the whole process.
//
// A call of one makes all threads ignore events, or stop ignoring them. Each thread adapts its own
// open calls at its next event: no other thread writes to its stack.
#pragma once

#include <cstdint>

#include "tree/own_record.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Begins a pause, shown as one call of `key` on the calling thread. Nothing happens if there is one
// already.
void pause_process(ThreadState* state, std::uintptr_t key, std::uintptr_t stack);
// Ends it. `state` is the calling thread's, if it has one; `callsite` helps to determine what the
// thread has left in between.
void resume_process(ThreadState* state, std::uintptr_t callsite, std::uintptr_t stack);

bool process_is_paused();

// The same by a thread that is not the program's, and without a row: recording is switched off and
// on. Calls that are open when it continues are found by their threads, each at its next event
// (LifecycleCalls::open_calls).
void switch_process_off();
void switch_process_on();

bool process_is_switched_off();
// Ticks when recording was switched on last; 0: not yet.
std::uint64_t switched_on_at();

// Moves the starts of the calling thread's open calls by the pauses that it has not noticed yet.
// Calls left during the last pause are taken to have ended when it began.
void note_pauses(ThreadState& state, std::uintptr_t callsite, std::uintptr_t stack);
inline void catch_up_with_pauses(ThreadState& state, std::uintptr_t callsite,
                                 std::uintptr_t stack) {
    if (state.record->paused_ticks != shared(process_record->paused_ticks)) [[unlikely]]
        note_pauses(state, callsite, stack);
}

// The run ends, perhaps in a pause: returns when it ended for open calls.
std::uint64_t close_pause(ThreadState& state, std::uint64_t now);

// In a child of fork, which begins its count anew.
void restart_pauses();

}  // namespace vftrace
