#include "sampling/beside_hooks.hpp"

#include "base/relaxed.hpp"
#include "tree/callees.hpp"
#include "tree/frames.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

// The open frame at the place of the interruption. A frame whose exit hook is gone, or that an
// exception has left, stays on the shadow stack until the next event: its stack address is below
// the interrupted code's.
const Frame& innermost_open(const ThreadState& state, std::uintptr_t stack) {
    const StackSegment& segment = *state.segment;
    const bool known = stack >= segment.low && stack <= segment.high;
    const Frame* frame = state.top;
    while (!is_base(*frame) && (frame->start == frame_overflow || (known && frame->stack < stack)))
        frame--;
    return *frame;
}

// First address of the code that called the entry hook.
std::uintptr_t body_of(const Node& node) {
    return node.key + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(node.body_offset));
}

// The hook's frame was directly below that of its function, where the function's callees have
// theirs later.
constexpr std::uintptr_t frame_of_hook = 64;

bool any_removed() { return overhead_calls && !overhead_calls->unwanted->empty(); }

Node* callee_without_hooks(ThreadState& state, Node* parent, std::uintptr_t function) {
    Node* node = find_callee(state, parent, function);
    if (!node)
        node = make_callee(state, parent, {function, NodeKind::function, 0, 0, 0});
    return node && node->kind == NodeKind::alias ? node->last_callee : node;
}

// How many of the functions were called from what is open in `frame`.
std::size_t count_below(const Frame& frame, const Node& node, const Unwinder& functions,
                        std::size_t count) {
    if (is_base(frame))
        return count;
    std::size_t below = 0;
    if (node.kind == NodeKind::function) {
        while (below < count && functions[below].function != body_of(node) &&
               functions[below].function != node.key)
            below++;
        return below == count ? 0 : below;
    }
    // The place of a region or construct is known. The function around it may be counted too, which
    // does no harm because it still has its hooks.
    while (below < count && functions[below].stack <= frame.stack + frame_of_hook)
        below++;
    return below;
}

// Goes down from `node` along the functions on the stack whose hooks have been removed.
Node* node_of_removed(ThreadState& state, Node* node, const Unwinder& functions,
                      std::size_t below) {
    while (below-- > 0) {
        const std::uintptr_t function = functions[below].function;
        if (function == node->key || !overhead_calls->is_removed(function))
            continue;
        Node* next = callee_without_hooks(state, node, function);
        if (!next)
            break;
        node = next;
    }
    return node;
}

}  // namespace

Node* node_beside_hooks(ThreadState& state, Unwinder& unwinder, const Registers& registers,
                        const OwnStack& stack) {
    const Frame& frame = innermost_open(state, registers.stack());
    const bool removed = any_removed();
    if (is_base(frame) && !removed)
        return nullptr;
    Node* node = frame.node->kind == NodeKind::alias ? frame.node->last_callee : frame.node;
    const std::uintptr_t function = unwinder.function_at(registers.pc());
    if (function == body_of(*node) || function == node->key)
        return node;
    if (!removed || !overhead_calls->is_removed(function))
        // About to call its entry hook, or back from its exit hook.
        if (Node* callee = find_callee(state, node, function);
            callee && callee->kind == NodeKind::function)
            return callee;
    if (!removed)
        return node;
    const std::uintptr_t highest =
        is_base(frame) ? ~std::uintptr_t{0} : frame.stack + frame_of_hook;
    const std::size_t count = unwinder.walk(registers, stack, highest);
    Node* found =
        node_of_removed(state, node, unwinder, count_below(frame, *node, unwinder, count));
    return is_base(frame) && found == node ? nullptr : found;
}

bool is_at_prologue_hook(const Node& node, std::uintptr_t pc) {
    constexpr std::uintptr_t longest_call = 10;  // [endbr64] call, and what it returns to
    return (node.flags & node_prologue) != 0 && pc - node.key <= longest_call &&
           !(any_removed() && overhead_calls->is_removed(node.key));
}

void count_samples(ThreadState& state, Node& node, std::uint64_t samples, std::uint64_t ticks) {
    Node* counts = find_callee(state, &node, samples_key);
    if (!counts)
        counts = new_node(state, &node, samples_key, NodeKind::samples);
    if (!counts)
        return;
    set_shared(counts->timed_calls, counts->timed_calls + static_cast<std::uint32_t>(samples));
    add_relaxed(counts->weighted_ticks, ticks);
}

}  // namespace vftrace
