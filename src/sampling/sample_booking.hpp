// Books samples at the nodes of their paths.
#pragma once

#include "sampling/kernel_samples.hpp"
#include "sampling/sample_timer.hpp"
#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The state for finding the paths of one thread's samples; zeroed memory is a good one.
struct PathFinder {
    Unwinder unwinder;
    OwnStack stack;
    // The calls that were open when samples of the kernel were last booked.
    struct {
        OpenFunction functions[Unwinder::most_functions];
        std::size_t count;
    } open;
    std::uint32_t generation;  // see unwind_generation; at that time
};

// In ticks of the tree's clock.
std::uint64_t ticks_of(std::uint64_t ns);

// Whether time in the node is taken by the clock, waiting or not.
bool is_timed_as_a_whole(const Node& node);

// All in the slow path. `period_ns`: of the timer, between two samples.
void book_sample(ThreadState& state, PathFinder& finder, const Registers& registers,
                 SampleWeight weight, std::uint64_t period_ns);

// Books what the kernel has done for the thread since the last time. Nothing that is open on the
// shadow stack may have changed since then. `interrupted`: where the thread's code has been
// interrupted by our signal; nullptr: it has not been.
void book_kernel_samples(ThreadState& state, PathFinder& finder, KernelSamples& samples,
                         const Registers* interrupted);

}  // namespace vftrace
