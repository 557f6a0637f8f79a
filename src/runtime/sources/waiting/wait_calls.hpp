// Calls of the C library in which threads may wait, as libvftrace_waits reports them.
#pragma once

#include <cstdint>

#include "record/wait_kinds.hpp"
#include "tree/thread_state.hpp"
#include "waiting/lock_waits.hpp"

namespace vftrace {

struct WaitCall {
    std::uint32_t kind;    // WaitKind of its waits; not_seen: that of the descriptor
    std::int32_t file;     // the descriptor; -1: none
    std::uintptr_t stack;  // address of its frame; 0: it is in none
    WantedLock wanted;     // of the kind `none`: no lock
};

// The thread with these switches begins a call, or a call has returned.
void begin_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call);
void end_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call);

// The call of a thread; another one may look at it.
WaitCall call_of(const ThreadSwitches& own);
void set_call(ThreadSwitches& own, const WaitCall& call);
WaitKind kind_of_call(const WaitCall& call);

// Where the thread waits, or has just waited, and what for; not_seen: for anything.
struct WaitPlace {
    const Node& node;
    WaitKind kind;
    bool in_call;
};
// For the thread itself, in its slow path.
WaitPlace place_of_wait(ThreadState& state, const ThreadSwitches& own);
// The call there has waited this long, again perhaps; 0: not at all.
void note_call_waited(ThreadState& state, ThreadSwitches& own, const WaitPlace& place,
                      std::uint64_t ns);

// Whether what the thread does is recorded now, and was since its last event.
bool is_recorded(const ThreadState& state);

}  // namespace vftrace
