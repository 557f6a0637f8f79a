// For which locks threads wait, and where the threads are that have them (record/lock_waits.hpp).
//
// Costs nothing as long as a lock is free: the C library notes in a mutex which thread has it, so
// that a thread that has to wait can look where that one is.
#pragma once

#include <cstdint>

#include "record/lock_waits.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// A lock for which a call may wait. `lock`: of the C library's type for this kind; nullptr: it is
// not known by an address.
struct WantedLock {
    LockKind kind;
    const void* lock;

    bool operator==(const WantedLock&) const = default;
};

// Of a thread's call.
struct LockCall {
    WantedLock wanted;
    const ThreadRecord* holder = nullptr;  // the thread that had the lock at first, if known
    const Node* holder_node = nullptr;     // where that was; in programs with hooks
    std::uint64_t begun_ns = 0;            // CLOCK_MONOTONIC; in sampled programs
    std::uint64_t waited_ns = 0;
};

// To be called before locks are wanted, and again in a child of fork.
void forget_locks();

// The calling thread cannot have the lock at once.
void begin_lock_call(LockCall& call, const WantedLock& wanted);
// Its call has waited in this node, again perhaps. In the slow path.
void book_lock_wait(ThreadState& state, LockCall& call, const Node& node, std::uint64_t ns);

// The calling thread has made the lock at this address in this node, or, nullptr, it is not known
// where, or the lock does not exist any longer.
void note_lock_origin(const void* lock, const Node* node);

// In a sampled program: the thread has just been seen in this node.
void note_seen(ThreadState& state, const Node& node);

}  // namespace vftrace
