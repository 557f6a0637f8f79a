// Opens and closes activations of things other than functions, for example OpenMP constructs, in
// the same way as hooks. For known paths a pair of calls costs about 20 ns.
#pragma once

#include "tree/call_tree.hpp"
#include "tree/callees.hpp"
#include "tree/push_frame.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The node of `key` below the current one on this thread, if it is known and the hot path may go
// there; otherwise nullptr.
[[gnu::always_inline]] inline Node* known_callee(ThreadState& state, std::uintptr_t key,
                                                 std::uintptr_t stack) {
    Frame* top = state.top;
    if (is_below_hot_stack(state, stack) || stack > top->stack || top >= state.frames_end)
        [[unlikely]]
        return nullptr;
    Node* parent = top->node;
    Node* node = parent->last_callee;
    if (node->key != key) {
        node = find_callee(state, parent, key);
        if (!node || node->kind == NodeKind::alias || (node->flags & node_reads_counters))
            [[unlikely]]
            return nullptr;
        parent->last_callee = node;
    }
    return node;
}

// The stack address at which to open an activation that begins in one call into a library and ends
// in another. The program's code runs in between, in frames that may lie above that of the first
// call, so the activation gets the stack address of the activation in which it is opened. `stack`:
// where the calling thread is.
inline std::uintptr_t place_in_caller(const ThreadState& state, std::uintptr_t stack) {
    const bool on_current_stack = stack >= state.segment->low && stack <= state.segment->high;
    return on_current_stack && state.top->stack > stack ? state.top->stack : stack;
}

// Opens an activation at `stack`; those of the calls that it makes lie below this address. Returns
// its node, nullptr if it is not recorded.
Node* enter_activation(std::uintptr_t key, NodeKind kind, std::uintptr_t stack);

// Closes it. `node` is what enter_activation() returned, not nullptr.
void leave_activation(const Node* node, std::uintptr_t stack);
// The same for callers that have just read the clock (tree_ticks()).
void leave_activation_at(const Node* node, std::uintptr_t stack, std::uint64_t now);

// Closes the activation on top of the stack, if it is one of this node and the hot path may do so;
// else returns false.
bool leave_if_innermost(ThreadState& state, const Node* node);

// The node of `key` below the current path, created if necessary but not entered; nullptr if
// nothing is recorded.
Node* make_place(std::uintptr_t key, NodeKind kind, std::uintptr_t stack);

}  // namespace vftrace
