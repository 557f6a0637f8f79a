// All threads that have ever recorded something.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/stack_segments.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// From now on a thread's first event creates a state for it.
void start_recording();
// Until start_recording(), first events are ignored. Called when the library starts.
void wait_with_recording();
// From now on the events of all threads are ignored. Calls that are open stay open.
void stop_recording();

// Ignore the events of all threads for a while (tree/pause.hpp).
void ignore_events_of_all_threads();
void heed_events_of_all_threads();
// Sets ThreadState::open_calls_are_due of all threads; for those that register later, this follows
// from the time of their start.
void have_threads_look_for_open_calls();

// A state for the calling thread, new or taken over from a thread that has ended; nullptr without
// memory. Sets `thread_state`.
ThreadState* register_thread();

// A state for the calling thread that is not in any list or file, for measuring the hooks. nullptr
// without memory.
ThreadState* make_scratch_state();

// What threads/ reports about a new thread before its first event.
struct ThreadStart {
    const Node* place;              // the NodeKind::thread above it; nullptr: unknown
    std::uint64_t started;          // ticks
    bool is_worker;                 // of an OpenMP run-time library: idle outside its grafts
    std::uint32_t generation;       // length of the chain of threads that created one another
    StackRange stack;               // zeros: unknown
    std::uintptr_t first_function;  // stack address of our function that calls it; 0: unknown
};
extern __thread ThreadStart thread_start
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// True in a child of fork that has not recorded anything yet: it does not have its own record.
bool is_new_child();
// A child of fork starts its own trees: forgets all threads. start_tree_memory() must be called
// next.
void forget_parents_threads();

// The first of all states, which are linked by `next`; a state is never removed. Walking through
// the list does not block threads that register.
ThreadState* first_thread_state();

// The number of threads that have recorded something, one after another or at the same time.
std::uint32_t thread_count();

// Marks the nodes of `module` in all threads as unloaded: calls to its addresses start new paths.
void retire_module(std::uint16_t module);
// The number of calls of retire_module().
std::uint32_t retired_modules();

// Undoes retire_module(): the library was not unloaded after all.
void restore_module(std::uint16_t still_there);

// Bytes that the trees, tables and states of all threads occupy.
std::uint64_t tree_memory_bytes();

}  // namespace vftrace
