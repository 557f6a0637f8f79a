#include "tree/grafts.hpp"

namespace vftrace {

void leave_graft_of(ThreadState& state, const Node* target, std::uintptr_t stack,
                    std::uint64_t now) {
    auto key = reinterpret_cast<std::uintptr_t>(target);
    if (state.top->node->key == key)
        leave_activation_at(state.top->node, stack, now);
    else
        exit_slowly(&state, key, NodeKind::graft, stack);
}

}  // namespace vftrace
