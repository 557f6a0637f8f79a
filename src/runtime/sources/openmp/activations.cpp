#include "openmp/activations.hpp"

#include <initializer_list>

#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "tree/call_tree.hpp"
#include "tree/frames.hpp"
#include "tree/source.hpp"

namespace vftrace {

OpenmpSettings openmp_settings;

constexpr Source openmp_source = {
    .prepare = [](const Options& options) { openmp_settings.active = options.openmp_active; }};

namespace {

bool is_construct(const Node* node, OpenmpConstruct construct) {
    return node->kind == NodeKind::openmp &&
           openmp_construct(node->key) == static_cast<std::uint8_t>(construct);
}

// Whether the code above an activation of this node may belong to a different task than the code
// below it.
bool begins_task(const Node* node) {
    return node->kind == NodeKind::graft || is_construct(node, OpenmpConstruct::parallel) ||
           is_construct(node, OpenmpConstruct::teams);
}

// The innermost activation in the current task whose node `is_wanted`; nullptr if there is none.
template <class IsWanted>
const Frame* find_open(const ThreadState& state, IsWanted is_wanted) {
    int frames_left = 64;  // functions that did not report their end
    for (const Frame* frame = state.top; !is_base(*frame) && frames_left > 0; frame--) {
        if (frame->start == frame_overflow)
            return nullptr;
        if (is_wanted(frame->node))
            return frame;
        if (begins_task(frame->node))
            return nullptr;
        frames_left--;
    }
    return nullptr;
}

bool is_one_of(const Node* node, std::initializer_list<OpenmpConstruct> constructs) {
    for (OpenmpConstruct construct : constructs)
        if (is_construct(node, construct))
            return true;
    return false;
}

// Leaves what is open on top although it must have ended before the next of its kind begins: its
// end was not reported.
void leave_unended(ThreadState& state, std::initializer_list<OpenmpConstruct> constructs,
                   std::uintptr_t stack) {
    for (OpenmpConstruct construct : constructs)
        if (is_construct(state.top->node, construct))
            leave_construct(state, construct, stack);
}

}  // namespace

void leave_construct(ThreadState& state, OpenmpConstruct construct, std::uintptr_t stack) {
    if (const Frame* frame = find_open(
            state, [construct](const Node* node) { return is_construct(node, construct); }))
        leave_activation(frame->node, place_in_caller(state, stack));
}

Node* book_activation(std::uintptr_t key, std::uint64_t start, std::uintptr_t stack) {
    std::uint64_t now = tree_ticks();
    Node* node = make_place(key, NodeKind::openmp, stack);
    if (node) {
        add_relaxed(node->calls, 1);
        add_relaxed(node->inclusive_ticks, now - start);
    }
    return node;
}

void leave_unended_worksharing(ThreadState& state, std::uintptr_t stack) {
    leave_unended(state,
                  {OpenmpConstruct::loop, OpenmpConstruct::sections, OpenmpConstruct::single,
                   OpenmpConstruct::workshare},
                  stack);
}

void leave_unended_operation(ThreadState& state, std::uintptr_t stack) {
    leave_unended(state,
                  {OpenmpConstruct::target_to_device, OpenmpConstruct::target_from_device,
                   OpenmpConstruct::target_alloc, OpenmpConstruct::target_free,
                   OpenmpConstruct::target_launch},
                  stack);
}

const Node* open_target(const ThreadState& state) {
    const Frame* frame = find_open(state, [](const Node* node) {
        return is_one_of(node, {OpenmpConstruct::target, OpenmpConstruct::target_data,
                                OpenmpConstruct::target_update});
    });
    return frame ? frame->node : nullptr;
}

Node* place_of_task(ThreadState& state, const void* code, std::uintptr_t stack) {
    std::uintptr_t key = openmp_key(OpenmpConstruct::task, code_address(code));
    if (Node* node = known_callee(state, key, stack))
        return node;
    for (Node* node = state.top->node; node; node = shown_above(*node))
        if (node->kind == NodeKind::openmp && node->key == key)
            return node;
    return make_place(key, NodeKind::openmp, stack);
}

}  // namespace vftrace
