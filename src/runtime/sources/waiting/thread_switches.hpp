// When threads leave their processors and return, as the kernel reports it: where they wait, and
// where they are displaced by others.
//
// A dummy event of perf_event_open writes a record into a ring of the thread at each switch. Hooks
// compare how far the kernel has written with what has been read (has_switched(),
// tree/thread_state.hpp), and book what is new before the thread's path changes: so a wait belongs
// to the innermost recorded function in which it happened. See doc/design/waiting.md.
#pragma once

#include <cstdint>

#include "record/wait_kinds.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

enum class Watching : std::uint8_t {
    off,
    cheap,  // a thread is not watched any longer if that costs too much
    always
};

// To be called before threads are watched, and again in a child of fork.
void allow_watching(Watching how);

// The calling thread begins or ends. It is in its slow path.
void watch_switches(ThreadState& state);
void end_watching(ThreadState& state);

// What happens from now on, until skip_switches(), is not booked: recording is paused. On the
// thread itself, in its slow path.
void skip_switches(ThreadState& state);

// Finds out what threads that wait at the moment wait for.
void look_at_waiting_threads();
// Updates for how long threads have been watched. By one thread at a time.
void update_watched_threads();
// The run has ended, and nothing more is recorded: waits that last are booked too.
void finish_watching(ThreadState* own);

// Why threads are not watched: an errno, 0 if they are.
int why_not_watched();

}  // namespace vftrace
