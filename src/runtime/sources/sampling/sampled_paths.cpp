#include "sampling/sampled_paths.hpp"

#include "tree/callees.hpp"
#include "tree/frames.hpp"

namespace vftrace {
namespace {

bool is_within(const StackSegment& segment, std::uintptr_t address) {
    return address >= segment.low && address <= segment.high;
}

const StackSegment* segment_around(const ThreadState& state, std::uintptr_t stack) {
    if (is_within(*state.segment, stack))
        return state.segment;
    for (const StackSegment* segment = state.record->segments; segment; segment = segment->next)
        if (is_within(*segment, stack))
            return segment;
    return state.segment;  // an unannounced stack: called from the open frames
}

Node* callee(ThreadState& state, Node* parent, std::uintptr_t function) {
    if (parent->last_callee->key == function)
        return parent->last_callee;
    Node* node = find_callee(state, parent, function);
    if (!node) {
        node = make_callee(state, parent, {function, NodeKind::function, 0, 0, 0});
        if (!node)
            return nullptr;
        // Counters are read at entries and exits, which are not observed.
        node->flags =
            static_cast<std::uint8_t>((node->flags & ~node_reads_counters) | node_sampled);
    }
    if (node->kind == NodeKind::alias)
        return node->last_callee;
    parent->last_callee = node;
    return node;
}

bool was_open_before(const OpenAround& around, std::uintptr_t stack) {
    return is_within(*around.segment, stack) && stack >= around.limit;
}

}  // namespace

OpenAround open_around(const ThreadState& state, std::uintptr_t stack) {
    const StackSegment* segment = segment_around(state, stack);
    const bool known = is_within(*segment, stack);
    const Frame* frame = segment == state.segment ? state.top : segment->top;
    auto is_open = [&](const Frame& candidate) {
        return candidate.start != frame_callers && candidate.start != frame_overflow &&
               (!known || candidate.stack > stack);
    };
    while (!is_base(*frame) && !is_open(*frame))
        frame--;
    OpenAround around{frame->node, segment->high, segment};
    while (!is_base(*frame) && frame->start != frame_callers)
        frame--;
    if (!is_base(*frame))
        around.limit = frame->stack;
    return around;
}

bool leads_to(const OpenAround& around, const Unwinder& functions) {
    return functions.count() > 0 && was_open_before(around, functions[functions.count() - 1].stack);
}

Node* node_of_path(ThreadState& state, const OpenAround& around, const Unwinder& functions,
                   std::size_t count) {
    std::size_t first = 0;
    while (first < count && !was_open_before(around, functions[first].stack))
        first++;
    Node* node = around.node;
    for (std::size_t i = first; i-- > 0;) {
        if (functions[i].function == node->key)
            continue;
        Node* next = callee(state, node, functions[i].function);
        if (!next)
            break;
        node = next;
    }
    return node;
}

}  // namespace vftrace
