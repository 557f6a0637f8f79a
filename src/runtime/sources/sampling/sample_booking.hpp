// Books samples at the nodes of their paths.
#pragma once

#include "sampling/kernel_samples.hpp"
#include "sampling/sample_timer.hpp"
#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The state for finding the paths of one thread's samples; zeroed memory is a valid object.
struct PathFinder {
    Unwinder unwinder;
    OwnStack stack;
    // The calls that were open when samples of the kernel were last booked.
    struct {
        OpenFunction functions[Unwinder::most_functions];
        std::size_t count;
    } open;
    std::uint32_t generation;  // unwind_generation at that time
};

// Converts a time to ticks of the tree's clock.
std::uint64_t ticks_of(std::uint64_t ns);

// Whether all time in the node, waiting or not, is measured by the clock.
bool is_timed_as_a_whole(const Node& node);

// Both functions are to be called in the slow path. `period_ns`: of the timer, between two samples.
void book_sample(ThreadState& state, PathFinder& finder, const Registers& registers,
                 SampleWeight weight, std::uint64_t period_ns);

// Books what the kernel has done for the thread since the last time. What is open on the shadow
// stack must not have changed since then. `interrupted`: where our signal has interrupted the
// thread's code; nullptr: it has not.
void book_kernel_samples(ThreadState& state, PathFinder& finder, KernelSamples& samples,
                         const Registers* interrupted);

}  // namespace vftrace
