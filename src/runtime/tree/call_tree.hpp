// The slow path through the call tree: everything that the hot path in hooks/ does not handle.
//
// This covers new paths, first events of a thread, stacks that were left by longjmp or exceptions,
// recursion, regions and pauses. All functions work on the calling thread's state and are safe in
// signal handlers: events that arrive while one of them runs are dropped and counted.
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

class FunctionSet;  // symbol/function_set.hpp

// What lifecycle/ decides before the first event.
struct TreeSettings {
    std::uint32_t max_recursion = 8;                 // how often a function may occur in one path
    bool processor_ticks = true;                     // false: clock_gettime, and no hot path
    const FunctionSet* precise_functions = nullptr;  // traced at every call; nullptr: none
};
extern TreeSettings tree_settings;

// An event's place: which function or region, and where on which stack.
struct Event {
    std::uintptr_t key;
    NodeKind kind;
    std::uintptr_t callsite;   // in the caller; 0 if unknown
    std::uintptr_t hook_site;  // in the code that called the hook; 0 if unknown
    std::uintptr_t stack;      // canonical frame address of the hook
};

void enter_slowly(ThreadState* state, const Event& event);
// `key` may be any_function: the function whose activation was opened at exactly this stack
// address.
inline constexpr std::uintptr_t any_function = 0;
void exit_slowly(ThreadState* state, std::uintptr_t key, NodeKind kind, std::uintptr_t stack);

// The program leaves every frame below `stack` without exit hooks: longjmp, a caught exception.
void unwind_to(std::uintptr_t stack);

// Books to the current path what the kernel has reported about the thread: it has_switched(). Keeps
// errno.
void book_switches(ThreadState& state, std::uintptr_t stack);

// The thread or the run ends: whatever is open ends now.
void close_all_frames(ThreadState* state);

enum class RegionEnd { ended, ended_other_than_innermost, ended_innermost_instead, none_open };
enum class RegionChoice { this_one, or_innermost };
// Ends the innermost open region `key`; if there is none, the innermost region, or none.
RegionEnd end_region(ThreadState* state, std::uintptr_t key,
                     RegionChoice which = RegionChoice::or_innermost);

// Identifies one of several open activations: the one that a thread has opened, with its place and
// start at that time.
struct FrameMark {
    const void* frame;  // nullptr: it was not recorded
    std::uint64_t start, moves;
};
// The mark of the frame on top.
FrameMark mark_of_top(const ThreadState& state);

// Ends an activation of section `key`: the one that is marked, or without a mark the innermost one.
// Activations that began later continue. Returns false if it is not open on this thread.
bool end_section(ThreadState* state, std::uintptr_t key, const FrameMark* mark);

// The calling thread is about to continue at `stack`, in a stack from `low` to `high` if the
// address lies between them (swapcontext).
void note_stack_switch(std::uintptr_t stack, std::uintptr_t low, std::uintptr_t high);

// The state of the calling thread, created if this is its first event; nullptr if nothing is
// recorded (off, before main, at the end of the run) or there is no memory.
ThreadState* recording_state_slowly();

// The state of a thread that has recorded something and does not ignore events; else nullptr: the
// end of something is not a reason to start recording.
inline ThreadState* known_state() {
    ThreadState* state = thread_state;
    return state->segment && !plain_read(state->ignore_events) ? state : nullptr;
}
// The same as recording_state_slowly(), without a function call in the usual case.
inline ThreadState* recording_state() {
    ThreadState* state = known_state();
    return state ? state : recording_state_slowly();
}

// Ticks of the clock with which the tree is measured.
std::uint64_t tree_ticks();

}  // namespace vftrace
