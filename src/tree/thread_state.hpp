// What one thread measures: its tree of call paths and the stack of open activations.
//
//   ThreadState ──top──> Frame, Frame, ... Frame[0]      (a StackSegment for each stack the
//        │                 │                              thread runs on: its own, sigaltstack's)
//        └─ table of Node* <┘ hash of (parent, key)
//
// Written by its thread alone. Others may read counters and, under the registry's lock, walk the
// list of nodes. Everything lies in memory from mmap and is never freed; the state of an ended
// thread is taken over by the next new one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "tree/node.hpp"

namespace vftrace {

// How an open activation is closed. Stored in Frame::start in place of a time: a processor that
// has counted to less than 16 ticks has not booted.
enum FrameKind : std::uint64_t {
    frame_base = 0,      // bottom of a segment; never closed
    frame_nested = 1,    // a recursion: its time is in an outer frame of the same node
    frame_fold = 2,      // like nested, and the level that started to fold
    frame_timed = 3,     // timed in `slow_start`: other clock, folding, first on another stack
    frame_overflow = 4,  // deeper than the frames reach; the thread counts further levels
    frame_paused = 5,    // top of the stack between pause and resume
    frame_starting = 6,  // on the stack, its clock not read yet
    frame_last_kind = 15
};

struct Frame {
    Node* node;
    std::uint64_t start;       // ticks at entry, or a FrameKind
    std::uintptr_t stack;      // canonical frame address of the entry hook
    std::uint64_t slow_start;  // ticks at entry for frames that are a FrameKind
};

// A range of addresses that one stack of the thread occupies, with the activations on it.
struct StackSegment {
    std::uintptr_t low, high;
    Frame* frames;  // frames[0] is the frame_base, frames[capacity] room for frame_overflow
    std::size_t capacity;
    Frame* top;                 // valid while the segment is not the current one
    StackSegment* interrupted;  // current when the first activation here began
    StackSegment* next;
};

struct ThreadMessages;  // mpi/messages.hpp

struct ThreadState {
    // Read by the hot path.
    Frame* top;
    std::uintptr_t stack_low;   // entry hooks called below go the slow way. ~0: all of them
    Frame* frames_end;          // the last frame that may be filled
    Node** table;               // open addressing, linear probing; a power of two of slots
    std::uint64_t table_shift;  // 64 - log2(slots)
    std::uint64_t table_mask;   // slots - 1

    // The slow way.
    bool ignore_events;              // paused, finished, or not (yet) recording
    bool nodes_were_retired;         // by another thread's dlclose(); they are to be filed anew
    bool in_use;                     // false: the thread has ended
    std::uint32_t folds;             // open frames of kind frame_fold
    std::uint64_t overflow_depth;    // activations above a frame_overflow
    std::uint64_t dropped_calls;     // calls that could not be recorded
    std::uintptr_t slow_path_stack;  // where the slow path was entered, for longjmp over it
    StackSegment* segment;           // the current one
    StackSegment* own_segment;       // of the stack that the thread was made with
    StackSegment* segments;          // all of them
    Node* root;
    Node* newest;
    std::uint32_t node_count;
    std::uint64_t table_used;  // slots
    Arena arena;
    ThreadMessages* messages;  // of MPI; nullptr before the first one
    ThreadState* next;         // in the registry
};

// The state of the calling thread, as hooks see it: &no_thread_state until its first event while
// recording, &busy_thread_state while the thread is in the slow path. These two have no segment,
// and a frame that sends every event the slow way.
extern ThreadState no_thread_state, busy_thread_state;
extern __thread ThreadState* thread_state
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
// The same for those who know what they do: nullptr before the first event, else the thread's own.
extern __thread ThreadState* own_thread_state
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// Slot where the search for (parent, key) begins. Multiplicative hashing (Knuth, TAOCP 6.4).
[[gnu::always_inline]] inline std::uint64_t table_hash(const Node* parent, std::uintptr_t key) {
    std::uint64_t mixed =
        key + (reinterpret_cast<std::uintptr_t>(parent) >> 6) * 0x9e3779b97f4a7c15u;
    return mixed * 0xff51afd7ed558ccdu;
}
[[gnu::always_inline]] inline std::uint64_t table_slot(const ThreadState& state, const Node* parent,
                                                       std::uintptr_t key) {
    return table_hash(parent, key) >> state.table_shift;
}

}  // namespace vftrace
