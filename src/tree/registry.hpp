// All threads that ever recorded something.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

// From now on (or no longer) a thread's first event makes it a state.
void start_recording();
// Until then first events are ignored. Called when the library starts.
void wait_with_recording();
// Later events of all threads are ignored. Calls that are open stay open.
void stop_recording();

// A state for the calling thread, new or taken over from a thread that has ended; nullptr without
// memory. Sets `thread_state`.
ThreadState* register_thread();

// A state for the calling thread that is in no list, to measure the hooks with. nullptr without
// memory.
ThreadState* make_scratch_state();

// The first registered state; follow ThreadState::next. States are never removed.
ThreadState* first_thread_state();
std::uint32_t thread_count();

// Marks the nodes of `module` in all threads as gone: calls to its addresses start new paths.
void retire_module(std::uint16_t module);

// Undoes retire_module(): the library was not unloaded after all.
void restore_module(std::uint16_t still_there);

// Bytes that trees, tables and stacks of open calls of all threads occupy.
std::uint64_t tree_memory_bytes();

}  // namespace vftrace
