// vftrace_pause and vftrace_resume: time stops for the whole process.
//
// A call of one of them makes all threads ignore events, or stop ignoring them. Each thread adapts
// its own open calls at its next event: no other thread writes to its shadow stack.
#pragma once

#include <cstdint>

#include "tree/own_record.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// Begins a pause, which is shown as one call of `key` on the calling thread. Does nothing during a
// pause.
void pause_process(ThreadState* state, std::uintptr_t key, std::uintptr_t stack);
// Ends the pause. `state` is that of the calling thread, if it has one; `callsite` helps to
// determine which calls the thread has left in the meantime.
void resume_process(ThreadState* state, std::uintptr_t callsite, std::uintptr_t stack);

bool process_is_paused();

// The same, done by the library itself and not shown as a call: recording is switched off and on.
// When it continues, each thread finds its open calls at its next event
// (LifecycleCalls::open_calls).
void switch_process_off();
void switch_process_on();

bool process_is_switched_off();
// Ticks when recording was last switched on; 0: not yet.
std::uint64_t switched_on_at();

// Moves the starts of the calling thread's open calls by the pauses that it has not noticed yet.
// Calls that were left during the last pause are assumed to have ended when it began.
void note_pauses(ThreadState& state, std::uintptr_t callsite, std::uintptr_t stack);
inline void catch_up_with_pauses(ThreadState& state, std::uintptr_t callsite,
                                 std::uintptr_t stack) {
    if (state.record->paused_ticks != plain_read(process_record->paused_ticks)) [[unlikely]]
        note_pauses(state, callsite, stack);
}

// The run ends, perhaps during a pause: returns the time at which it ended for open calls.
std::uint64_t close_pause(ThreadState& state, std::uint64_t now);

// In a child of fork, which starts again without pauses.
void restart_pauses();

}  // namespace vftrace
