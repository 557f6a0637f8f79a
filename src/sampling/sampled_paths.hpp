// Finds the node for the functions on a stack, below the thread's open calls there.
#pragma once

#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The open frames of the thread's shadow stack around a place: a region, a construct of OpenMP, an
// MPI call, or nothing.
struct OpenAround {
    Node* node;
    // Functions whose frames end here or above were open already when that began.
    std::uintptr_t limit;
    const StackSegment* segment;  // where the limit is an address
};
OpenAround open_around(const ThreadState& state, std::uintptr_t stack);

// Whether the functions lead from where something was open before `around` began.
bool leads_to(const OpenAround& around, const Unwinder& functions);

// The node of the path of `count` functions (innermost first) below `around`, made if need be; that
// of `around` if they were all open before it began. In the slow path.
Node* node_of_path(ThreadState& state, const OpenAround& around, const Unwinder& functions,
                   std::size_t count);

}  // namespace vftrace
