// Finds the node for the functions on a stack, below the thread's open calls there.
#pragma once

#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The open frames of the thread's shadow stack around a place: a region, a construct of OpenMP, an
// MPI call, or nothing.
struct OpenAround {
    Node* node;
    // Functions whose frames end here or above were already open when that region or call began.
    std::uintptr_t limit;
    const StackSegment* segment;  // that the limit belongs to
};
OpenAround open_around(const ThreadState& state, std::uintptr_t stack);

// Whether the outermost of the functions was open before `around` began, so that they form a path
// from there.
bool leads_to(const OpenAround& around, const Unwinder& functions);

// The node of the path of `count` functions (innermost first) below `around`, created if needed;
// the node of `around` if they were all open before it began. To be called in the slow path.
Node* node_of_path(ThreadState& state, const OpenAround& around, const Unwinder& functions,
                   std::size_t count);

}  // namespace vftrace
