// The data on which the hooks of one thread work: the current frame and what determines how to
// continue from it.
//
//   ThreadState ──top──> Frame, Frame, ... Frame[0]      (a StackSegment for each stack the
//        │                 │                              thread runs on: its own, sigaltstack's)
//        └─ table of Node* <┘ hash of (parent, key)
//
// Private to its thread and, through MADV_WIPEONFORK, to its process: a child finds zeros, with
// which every event takes the slow path. Everything worth keeping is in the ThreadRecord. A new
// thread may reuse the state of one that has ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/arena.hpp"
#include "base/relaxed.hpp"
#include "record/node.hpp"
#include "record/process_record.hpp"

namespace vftrace {

struct EventBuffer;        // tree/event_buffer.hpp
struct OpenmpThread;       // openmp/teams.hpp
struct OpenSectionMemory;  // queries/section_memory.cpp
struct SideIndex;          // tree/side_tables.cpp
struct ThreadAnnotations;  // annotations/thread_annotations.hpp
struct ThreadCounters;     // counters/thread_counters.cpp
struct ThreadRegions;      // tree/region_place.hpp
struct ThreadStreams;      // files/file_calls.cpp
struct ThreadSwitches;     // waiting/thread_switches.cpp

struct ThreadState {
    // Read by the hot path.
    Frame* top;                   // nullptr: in a child of fork
    std::uintptr_t inverted_low;  // ~(lowest stack address of the hot path). 0: slow path only
    Frame* frames_end;            // the last frame that may be filled
    Node** table;                 // open addressing, linear probing; a power of two of slots
    std::uint64_t table_shift;    // 64 - log2(slots)
    std::uint64_t table_mask;     // slots - 1
    // How far the kernel has written about switches of this thread, and how far that has been read;
    // the first points to the second if the kernel does not write (waiting/thread_switches.hpp).
    const std::uint64_t* switches_written;
    std::uint64_t switches_read;

    // Used by the slow path.
    bool ignore_events;       // paused, finished, or not (yet) recording
    bool open_calls_are_due;  // recording was switched on: calls may be open that were not seen
    bool nodes_were_retired;  // by another thread's dlclose(); they must be filed again
    bool table_is_part;       // the table lies in memory that others share; it is never unmapped
    std::uint64_t overflow_depth;    // activations above a frame_overflow
    std::uintptr_t slow_path_stack;  // where the slow path was entered, for a longjmp across it
    StackSegment* segment;           // the current one
    StackSegment* own_segment;       // of the stack with which the thread was created
    Node* newest;
    std::uint64_t table_used;  // slots
    Arena arena;               // in the file
    ThreadRecord* record;
    OpenmpThread* openmp;      // its parallel regions; nullptr until the first one
    ThreadCounters* counters;  // nullptr until the first reading
    EventBuffer* trace;        // nullptr: the thread is not traced. Else `inverted_low` is 0
    SideIndex* side_indices;   // where rows of side tables are; nullptr until the first one
    std::uint64_t random;      // of xorshift64; not 0
    std::uint64_t last_poll;   // ticks: the end of the last MPI call that found nothing completed
    OpenSectionMemory* open_memory;  // of sections; nullptr until the first one
    ThreadRegions* regions;          // in which of these it is; nullptr: not used
    ThreadAnnotations* annotations;  // nullptr: the program has none on this thread
    ThreadStreams* streams;          // nullptr until it calls one without a system call
    ThreadSwitches* switches;        // nullptr: the kernel has never written about them
    std::uint64_t frame_moves;       // how often open frames were given another place or start
    ThreadState* next;               // in the registry
    ThreadState* next_ended;         // among those whose threads have ended
};

// Whether the state is not of a thread, but for measuring what calls cost.
inline bool is_scratch(const ThreadState& state) { return !state.arena.source(); }

// Whether the thread has left its processor, by itself or not, since this was looked at.
[[gnu::always_inline]] inline bool has_switched(const ThreadState& state) {
    return __atomic_load_n(plain_read(state.switches_written), __ATOMIC_RELAXED) !=
           plain_read(state.switches_read);
}

// Matches no call.
extern Node no_node;

// The state of the calling thread, as hooks see it: &no_thread_state until the thread's first event
// while recording, &busy_thread_state while it is in the slow path. These two do not have a
// segment, and their frame sends every event to the slow path.
extern ThreadState no_thread_state, busy_thread_state;
extern __thread ThreadState* thread_state
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
// The same without checks: nullptr before the first event, else the thread's own.
extern __thread ThreadState* own_thread_state
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// The slot where the search for (parent, key) begins. Multiplicative hashing (Knuth, TAOCP 6.4). It
// is the same for all keys within 16 bytes, in which at most one function begins: hooks that know
// only the approximate start of a function search from the same slot.
[[gnu::always_inline]] inline std::uint64_t table_hash(const Node* parent, std::uintptr_t key) {
    std::uint64_t mixed =
        (key >> 4) + (reinterpret_cast<std::uintptr_t>(parent) >> 6) * 0xff51afd7ed558ccdu;
    return mixed * 0x9e3779b97f4a7c15u;
}
[[gnu::always_inline]] inline std::uint64_t table_slot(const ThreadState& state, const Node* parent,
                                                       std::uintptr_t key) {
    return table_hash(parent, key) >> state.table_shift;
}

// The node below `parent` for which is_wanted() is true, if the hot path may go there; else
// nullptr. It may be an alias, whose next call is always due. The key lies in the same 16 bytes as
// `nearby`.
template <class IsWanted>
[[gnu::always_inline]] inline Node* known_in_table(const ThreadState& state, const Node* parent,
                                                   std::uintptr_t nearby, IsWanted is_wanted) {
    std::uint64_t slot = table_slot(state, parent, nearby);
    while (Node* node = state.table[slot]) {
        if (node->parent == parent && is_wanted(*node))
            return node->flags & node_reads_counters ? nullptr : node;
        slot = (slot + 1) & state.table_mask;
    }
    return nullptr;
}

[[gnu::always_inline]] inline Node* known_in_table(const ThreadState& state, const Node* parent,
                                                   std::uintptr_t key) {
    return known_in_table(state, parent, key, [key](const Node& node) { return node.key == key; });
}

// Whether an event at this stack address must take the slow path, judging by the thread's state
// only.
[[gnu::always_inline]] inline bool is_below_hot_stack(const ThreadState& state,
                                                      std::uintptr_t stack) {
    return ~stack > plain_read(state.inverted_low);
}

}  // namespace vftrace
