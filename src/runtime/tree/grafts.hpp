// Grafts: work of a thread on behalf of a node, possibly in another thread's tree, below which it
// is shown (doc/design/threads.md).
#pragma once

#include "tree/activation.hpp"

namespace vftrace {

// Opens an activation whose work is shown below `target`, a node of any thread's tree. Returns the
// graft, to be closed by leave_activation(); nullptr if it is not recorded.
inline Node* enter_graft(const Node* target, std::uintptr_t stack) {
    return enter_activation(reinterpret_cast<std::uintptr_t>(target), NodeKind::graft, stack);
}
// The same for callers that have just read the clock (tree_ticks()).
inline Node* enter_graft_at(const Node* target, std::uintptr_t stack, std::uint64_t now) {
    ThreadState* state = thread_state;
    Node* node = known_callee(*state, reinterpret_cast<std::uintptr_t>(target), stack);
    if (!node) [[unlikely]]
        return enter_graft(target, stack);
    push_since(state, state->top + 1, node, stack, now);
    return node;
}

// Closes the innermost graft of `target`, if there is one, and what is open above it. `now`: the
// clock (tree_ticks()) as it was read just now.
void leave_graft_of(ThreadState& state, const Node* target, std::uintptr_t stack,
                    std::uint64_t now);

// The next node up the path as it is shown, which may lead through the trees of other threads;
// nullptr above the root.
inline Node* shown_above(const Node& node) {
    return node.kind == NodeKind::graft ? reinterpret_cast<Node*>(node.key) : node.parent;
}

// Whether the node is the graft of a task: open while the thread runs the task.
inline bool runs_task(const Node& node) {
    return node.kind == NodeKind::graft &&
           reinterpret_cast<const Node*>(node.key)->kind == NodeKind::task;
}

}  // namespace vftrace
