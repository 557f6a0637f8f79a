// Calls from the tree and the hooks to what is above them: a table of functions for each room that
// they need something from. Apart from that of lifecycle, a table is nullptr if the run does not
// need the room.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "guest/address_set.hpp"
#include "record/node.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct Registers;  // unwind/registers.hpp

// ---- lifecycle ----

// What the tree needs from the floors above it. lifecycle/ defines the one object.
struct LifecycleCalls {
    // A thread without a state has an event, perhaps before the library's constructor has run, or
    // in a child of fork. May be called repeatedly.
    void (*first_event)();
    void (*first_thread)();   // the first thread that records something has been registered
    void (*thread_begins)();  // the calling thread has been registered
    void (*thread_ends)();    // and will not record anything more
    void (*mpi_ends)();       // all ranks are in MPI_Finalize, and can still communicate
    void (*mpi_aborts)();     // this rank has called MPI_Abort
    void (*mpi_has_begun)();  // MPI_Init is about to return; other ranks may reach this point later
    // Opens the calls of instrumented functions that are on the calling thread's stack below what
    // is open already, starting at `since`, when recording was switched on. Omits `entered`, which
    // is about to be entered or left.
    void (*open_calls)(ThreadState& state, std::uintptr_t entered, std::uint64_t since);
    void (*process_resumes)();  // recording continues after a pause, on any thread
    // The names of a call path of any thread, the innermost first.
    std::vector<std::string> (*names_of_path)(const Node* node);
};
extern const LifecycleCalls lifecycle_calls;

// ---- counters ----

// For nodes with counter readings. Such nodes are never the `last_callee` of another, and their
// frames are frames of unusual kinds, so that entries and exits take the slow path; other nodes do
// not pay for this.
struct CounterCalls {
    // Whether a new node, which is complete except for its flags, should read counters.
    bool (*wanted)(const Node& node);
    // The frame on top of the stack, of a node that reads counters, was opened at `now`.
    void (*entered)(ThreadState& state, const Frame& frame, std::uint64_t now);
    // A frame of a node that reads counters is closed: it ends at `now`.
    void (*left)(ThreadState& state, const Frame& frame, std::uint64_t now);
    // Reads the counters once for all frames that are closed at `now`, before the tree does its own
    // work.
    void (*read)(ThreadState& state, std::uint64_t now);
    // suspended(): from now on, calls on this stack are suspended; resumed(): they continue.
    void (*suspended)(ThreadState& state, const StackSegment& segment, std::uint64_t now);
    void (*resumed)(ThreadState& state, const StackSegment& segment, std::uint64_t now);
};

// nullptr: no node reads counters.
extern const CounterCalls* counter_calls;

// ---- overhead ----

// What limits the cost of measuring.
struct OverheadCalls {
    // It is time to review the cost of measuring so far.
    void (*review)(ThreadState& state, std::uint64_t now);
    // Functions that are not to be recorded any more.
    const AddressSet* unwanted;
    // Whether a function whose path is to be created is unwanted, or excluded by the filters.
    bool (*is_refused)(std::uintptr_t function);
    // Whether the hooks of a function were removed because it cost too much, not by a filter.
    bool (*is_removed)(std::uintptr_t function);
    // Removes the call of the entry hook from the code of an unwanted function. Returns false if
    // the call stays: then calls are counted. Keeps errno.
    bool (*remove_entry)(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site);
    // The same for the exit of an unwanted function that is not on top of the stack.
    void (*remove_exit)(ThreadState& state, std::uintptr_t function, std::uintptr_t hook_site,
                        std::uintptr_t callsite);
    // A library at these addresses has been unloaded.
    void (*forget)(std::uintptr_t start, std::uintptr_t end);
};

// nullptr if hooks are never removed.
extern const OverheadCalls* overhead_calls;

// Where nothing is ever recorded: removes calls of hooks that still arrive, from libraries that
// were opened after the start. Keeps errno.
struct OffCalls {
    void (*remove_entry)(std::uintptr_t function, std::uintptr_t hook_site);
    void (*remove_exit)(std::uintptr_t function, std::uintptr_t hook_site, std::uintptr_t callsite);
};

// nullptr unless the process is switched off for good.
extern const OffCalls* off_calls;

// Ticks; no review is made before this time.
extern std::uint64_t next_review;

// ---- regions ----

// The current regions of a thread.
struct RegionCalls {
    // For nodes that publish_known() does not know. A region begins: `node` is its node, and the
    // thread is in it now. The thread has ThreadState::regions.
    void (*begins)(ThreadState& state, const Node& node);
    // A region has ended, or the thread continues on another stack: it is in this node now.
    void (*now_in)(ThreadState& state, const Node& node);
    // The thread works for an OpenMP team whose master created the region of `node`.
    void (*works_for)(ThreadState& state, const Node& node);
};

// nullptr: not used.
extern const RegionCalls* region_calls;

// ---- waiting ----

// What the kernel writes when a thread leaves its processor and returns to one.
struct SwitchCalls {
    // The thread has_switched(): books that to the path in which it is. In its slow path, before
    // this changes anything.
    void (*book)(ThreadState& state);
    // In a program that is sampled: a sample was taken in this node. In the thread's slow path.
    void (*seen_in)(ThreadState& state, const Node& node);
};

// nullptr as long as the kernel has not written about any thread.
extern const SwitchCalls* switch_calls;

// ---- sampling ----

// For programs that are sampled instead of having hooks: callers are unknown, so they are read from
// the stack on request.
struct SamplingCalls {
    // Opens a frame_callers for the functions that lead from the innermost open activation to the
    // current position, if there are any. Called in the slow path.
    void (*open_callers)(ThreadState& state);
    // The node of the current position: that of the same functions, or that of the innermost open
    // activation. Called in the slow path.
    const Node* (*path_here)(ThreadState& state);
    // The slow path begins, before it changes anything, or ends: what the kernel has done until
    // then was on behalf of the program, or of the library.
    void (*slow_path_begins)(ThreadState& state);
    void (*slow_path_ends)();
};

// For all sampled programs, including those that are sampled in addition to hooks.
struct SampledThreads {
    // The calling thread has begun, in a function of the library whose frame is at
    // ThreadStart::first_function, or it ends.
    void (*thread_begins)();
    void (*thread_ends)();
    // A library is unloaded: its code may be replaced by other code.
    void (*forget_code)();
    // Reports what the calling thread has touched so far (TouchCalls). In its slow path.
    void (*take_touches)(ThreadState& state);
};

// ---- heap ----

// A thread has touched a page for the first time.
struct PageTouch {
    std::uint64_t monotonic_ns;  // when
    std::uintptr_t address;
    unsigned processor;
    std::uint64_t faults;  // that the sample represents
};

// For samples of what a thread does with memory. In its slow path.
struct TouchCalls {
    void (*touched)(ThreadState& state, const PageTouch& touch);
    // The thread is about to execute the instruction at the place of the registers; the sample
    // represents this many periods of the timer.
    void (*used)(ThreadState& state, const Registers& registers, std::uint64_t periods);
};

// nullptr: not recorded.
extern const TouchCalls* touch_calls;

// nullptr: the program is not sampled, or has hooks.
extern const SamplingCalls* sampling_calls;
// nullptr: the program is not sampled.
extern const SampledThreads* sampled_threads;

}  // namespace vftrace
