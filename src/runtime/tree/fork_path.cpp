#include "tree/fork_path.hpp"

#include <algorithm>

#include "tree/callees.hpp"
#include "tree/frames.hpp"
#include "tree/own_record.hpp"
#include "tree/region_names.hpp"
#include "tree/registry.hpp"
#include "tree/stack_segments.hpp"

namespace vftrace {
namespace {

struct Step {
    const Node* node;
    std::uintptr_t stack;  // 0: no activation on this thread's stack
};

struct ForkPath {
    std::size_t steps, capacity;
    Step step[];
};

// Of the calling thread; nullptr if it has never forked.
__attribute__((tls_model("initial-exec"))) thread_local ForkPath* fork_path;

bool make_room(std::size_t steps) {
    if (fork_path && fork_path->capacity >= steps)
        return true;
    if (fork_path)
        unmap_memory(fork_path, sizeof(ForkPath) + fork_path->capacity * sizeof(Step));
    std::size_t capacity = std::max(steps * 2, std::size_t{254});
    fork_path = static_cast<ForkPath*>(map_memory(sizeof(ForkPath) + capacity * sizeof(Step)));
    if (fork_path)
        fork_path->capacity = capacity;
    return fork_path;
}

// The parent of the node in the tree as it is shown.
const Node* shown_parent(const Node* node) {
    node = node->parent;
    while (node && node->kind == NodeKind::graft)
        node = reinterpret_cast<const Node*>(node->key);
    return node;
}

// Excludes work that a GPU was given, too: it continues in the parent only, and its name is in the
// parent's memory.
bool is_path(const Node* node) { return row_of(node->kind).is(kind_is_forked); }

}  // namespace

void save_fork_path(const ThreadState& state) {
    const Frame* first = state.segment->frames;
    std::size_t depth = static_cast<std::size_t>(state.top - first);
    // The path that leads to this stack's frames: it began on another stack, or in another thread.
    const Frame* from = first;
    for (const Frame* frame = first + 1; frame <= state.top; frame++)
        if (frame->node->kind == NodeKind::graft)
            from = frame;  // a later graft begins a new path
    const Node* base = from->node;
    if (base->kind == NodeKind::graft)
        base = reinterpret_cast<const Node*>(base->key);
    std::size_t below = 0;
    for (const Node* node = base; node; node = shown_parent(node))
        below += is_path(node);
    if (!make_room(below + depth))
        return;
    fork_path->steps = below;
    for (const Node* node = base; node; node = shown_parent(node))
        if (is_path(node))
            fork_path->step[--below] = {node, 0};
    for (const Frame* frame = from + 1; frame <= state.top; frame++)
        if (frame->start != frame_overflow && frame->start != frame_callers && is_path(frame->node))
            fork_path->step[fork_path->steps++] = {frame->node, frame->stack};
}

void forget_fork_path() {
    // A child that has recorded nothing yet still needs its own.
    if (fork_path && own_thread_state)
        fork_path->steps = 0;
}

bool open_fork_path(ThreadState& state) {
    if (!fork_path || fork_path->steps == 0 || !process_record->forked)
        return false;
    std::uint64_t now = tree_ticks();
    for (std::size_t i = 0; i < fork_path->steps; i++) {
        const Step& step = fork_path->step[i];
        Event event{step.node->key, step.node->kind, 0, 0, step.stack};
        event.key = key_in_child(event.kind, event.key, state.arena);
        if (step.stack == 0) {
            Node* node = find_callee(state, state.top->node, event.key);
            if (!node)
                node = make_callee(state, state.top->node, event);
            if (!node || node->kind == NodeKind::alias)
                break;
            state.top->node = node;  // the base of the stack
        } else {
            if (state.top >= state.frames_end && !grow_segment(state))
                break;
            if (!open_frame(state, state.top + 1, event, now))
                break;
            state.top++;
        }
        Node* node = state.top->node;
        if (node->kind == NodeKind::function)
            node->body_offset = step.node->body_offset;
    }
    fork_path->steps = 0;
    return true;
}

void leave_fork_path(std::uintptr_t function) {
    if (!fork_path)
        return;
    for (std::size_t i = fork_path->steps; i > 0 && fork_path->step[i - 1].stack; i--)
        if (fork_path->step[i - 1].node->key == function) {
            fork_path->steps = i - 1;
            return;
        }
}

}  // namespace vftrace
