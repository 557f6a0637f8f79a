// Samples beside hooks: which function's time a moment is.
//
// Hooks tell paths, counts, and times of what is long. What is short, and what has lost its hooks
// because they cost too much, is timed by the share of the samples that hit it, which no hook can
// disturb; and the samples that come while the hooks themselves are at work are their true cost.
#pragma once

#include <cstdint>

#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The path that the interrupted code belongs to: what is open on the thread's shadow stack, and
// below it what runs there without hooks that were taken out. Functions that never had any are part
// of their caller, as everywhere beside hooks. nullptr: of no function. In the slow path.
Node* node_beside_hooks(ThreadState& state, Unwinder& unwinder, const Registers& registers,
                        const OwnStack& stack);

// Whether the instruction is one of the first of a function, which call the hook of prologues: what
// waits there is the hook's time.
bool is_at_prologue_hook(const Node& node, std::uintptr_t pc);

// Counts samples for the node. In the slow path.
void count_samples(ThreadState& state, Node& node, std::uint64_t samples, std::uint64_t ticks);

}  // namespace vftrace
