// Samples in addition to hooks: finds the function that a sample belongs to.
//
// Hooks provide paths, counts, and times of long calls. Short calls, and functions whose hooks were
// removed because of their cost, are timed by their share of the samples, which hooks do not
// disturb; and the samples inside the hooks themselves show their true cost.
#pragma once

#include <cstdint>

#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The path that the interrupted code belongs to: what is open on the thread's shadow stack, and
// below it the functions that run there with removed hooks. Functions that never had hooks are part
// of their caller, as always with hooks. nullptr: the code belongs to no function. To be called in
// the slow path.
Node* node_beside_hooks(ThreadState& state, Unwinder& unwinder, const Registers& registers,
                        const OwnStack& stack);

// Whether the instruction is one of the first of a function, which call the prologue's hook: time
// spent there belongs to the hook.
bool is_at_prologue_hook(const Node& node, std::uintptr_t pc);

// Counts samples for the node. To be called in the slow path.
void count_samples(ThreadState& state, Node& node, std::uint64_t samples, std::uint64_t ticks);

}  // namespace vftrace
