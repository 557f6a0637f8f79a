// Makes the aliases of folded recursion.
#include "tree/folding.hpp"

#include <algorithm>

#include "record/openmp_constructs.hpp"
#include "tree/callees.hpp"
#include "tree/frames.hpp"
#include "tree/thinning.hpp"

namespace vftrace {
namespace {

bool is_openmp_task(const Node* node) {
    return node && node->kind == NodeKind::openmp &&
           openmp_construct(node->key) == static_cast<std::uint8_t>(OpenmpConstruct::task);
}

bool is_timed(const Frame& frame) {
    return frame.start > frame_last_kind || frame.start == frame_timed ||
           frame.start == frame_thinned || frame.start == frame_fold;
}

// Has every further call of the nodes from `node` up to `target` timed, and converts their open
// frames, from the innermost one outward. An activation that was only counted began before what it
// called, and not long before.
void time_way_round(ThreadState& state, Node* node, const Node* target) {
    const Node* const end = target->parent;
    std::uint64_t earliest = tree_ticks();
    const StackSegment* segment = state.segment;
    for (Frame* frame = state.top; segment && node != end; frame--) {
        while (node != end && node->in_fold)
            node = node->parent;
        if (is_base(*frame)) {
            segment = segment->interrupted;
            frame = segment ? segment->top + 1 : frame;
            continue;
        }
        if (is_timed(*frame))
            earliest = std::min(earliest, start_of(*frame));
        if (node == end || frame->node != node || frame->start == frame_nested)
            continue;
        const bool to_convert = frame->start == frame_thinned || frame->start == frame_untimed;
        if (to_convert)
            set_shared(frame->start, earliest);
        time_for_ever(*node, to_convert);
    }
    for (; node != end; node = node->parent)  // frames of other stacks, or none
        if (!node->in_fold)
            time_for_ever(*node, 0);
}

}  // namespace

Node* fold_target(Node* parent, const Event& event) {
    // Tasks that OpenMP executes one inside the other, wherever a thread waits, are folded at once.
    // Other grafts are of different threads.
    const bool is_task =
        event.kind == NodeKind::graft && is_openmp_task(reinterpret_cast<const Node*>(event.key));
    if (event.kind == NodeKind::graft && !is_task)
        return nullptr;
    const std::uint32_t most = is_task ? 1 : tree_settings.max_recursion;
    Node* nearest = nullptr;
    std::uint32_t occurrences = 0;
    for (Node* node = parent; node; node = node->parent)
        if (node->key == event.key) {
            if (!nearest)
                nearest = node;
            if (++occurrences >= most)
                return nearest;
        }
    return nullptr;
}

Node* make_alias(ThreadState& state, Node* parent, const Event& event, Node* target) {
    Node* alias = new_node(state, parent, event.key, NodeKind::alias);
    if (!alias)
        return nullptr;
    alias->last_callee = target;
    alias->module = target->module;  // its key is retired together with the target's
    // Due at every call; only hooks of functions check this.
    alias->timing = look_due - 1;
    if (target->flags & node_reads_counters)
        set_flag(*alias, node_reads_counters);
    set_flag(*target, node_recursion_folded);
    time_way_round(state, parent, target);
    return alias;
}

}  // namespace vftrace
