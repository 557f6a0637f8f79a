// Samples in addition to hooks: to which function the time of a moment belongs.
//
// Hooks provide paths, counts, and times of long calls. Short calls, and functions whose hooks were
// removed because of their cost, are timed by their share of the samples, which hooks do not
// disturb; and the samples inside the hooks themselves are their true cost.
#pragma once

#include <cstdint>

#include "sampling/unwinder.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The path that the interrupted code belongs to: what is open on the thread's shadow stack, and
// below it what runs there with removed hooks. Functions that never had any are part
// of their caller, as always with hooks. nullptr: of no function. In the slow path.
Node* node_beside_hooks(ThreadState& state, Unwinder& unwinder, const Registers& registers,
                        const OwnStack& stack);

// Whether the instruction is one of the first of a function, which call the hook of prologues: what
// waits there is the hook's time.
bool is_at_prologue_hook(const Node& node, std::uintptr_t pc);

// Counts samples for the node. In the slow path.
void count_samples(ThreadState& state, Node& node, std::uint64_t samples, std::uint64_t ticks);

}  // namespace vftrace
