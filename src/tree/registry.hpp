// All threads that ever recorded something.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/stack_segments.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// From now on (or no longer) a thread's first event makes it a state.
void start_recording();
// Until then first events are ignored. Called when the library starts.
void wait_with_recording();
// Later events of all threads are ignored. Calls that are open stay open.
void stop_recording();

// The same for a while (tree/pause.hpp).
void ignore_events_of_all_threads();
void heed_events_of_all_threads();
// Sets ThreadState::open_calls_are_due of all threads; those that register later find out by their
// start.
void have_threads_look_for_open_calls();

// A state for the calling thread, new or taken over from a thread that has ended; nullptr without
// memory. Sets `thread_state`.
ThreadState* register_thread();

// A state for the calling thread that is in no list and no file, to measure the hooks with. nullptr
// without memory.
ThreadState* make_scratch_state();

// What threads/ reports about a new thread before its first event.
struct ThreadStart {
    const Node* place;              // the NodeKind::thread above it; nullptr: unknown
    std::uint64_t started;          // ticks
    bool is_worker;                 // of an OpenMP run-time library: idle except for its grafts
    std::uint32_t generation;       // how many threads on the way to it were made by one another
    StackRange stack;               // zeros: not known
    std::uintptr_t first_function;  // stack address of ours that calls the thread's; 0: not known
};
extern __thread ThreadStart thread_start
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// True in a child of fork that has not recorded anything yet: it owns no record.
bool is_new_child();
// A child of fork begins a tree of its own: forgets all threads. start_tree_memory() must follow.
void forget_parents_threads();

// Calls visit(ThreadState&) for all states; a state is never removed. Not while holding up threads
// that register.
ThreadState* first_thread_state();

// Threads that have recorded something, one after another or at the same time.
std::uint32_t thread_count();

// Marks the nodes of `module` in all threads as gone: calls to its addresses start new paths.
void retire_module(std::uint16_t module);
// How often that was.
std::uint32_t retired_modules();

// Undoes retire_module(): the library was not unloaded after all.
void restore_module(std::uint16_t still_there);

// Bytes that trees, tables and stacks of open calls of all threads occupy.
std::uint64_t tree_memory_bytes();

}  // namespace vftrace
