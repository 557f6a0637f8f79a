// The slow way through the call tree: everything that the hot path in hooks/ leaves undone.
#include "tree/call_tree.hpp"

#include <cerrno>

#include "base/clock.hpp"
#include "symbol/modules.hpp"
#include "tree/registry.hpp"

namespace vftrace {

TreeSettings tree_settings;

namespace {

// Guards the calling thread's tree: an instrumented signal handler or allocator that runs inside
// sees `in_slow_path` and leaves. Not a lock; a longjmp across it is undone by unwind_to().
class SlowPath {
  public:
    SlowPath(ThreadState& state, std::uintptr_t stack) : state_(state), errno_(errno) {
        state_.slow_path_stack = stack;
        state_.in_slow_path = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    }
    ~SlowPath() {
        bool fast = !state_.ignore_events && state_.folds == 0 && tree_settings.processor_ticks;
        state_.stack_low = fast ? state_.segment->low : ~std::uintptr_t{0};
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        state_.in_slow_path = false;
        errno = errno_;
    }
    SlowPath(const SlowPath&) = delete;
    SlowPath& operator=(const SlowPath&) = delete;

  private:
    ThreadState& state_;
    int errno_;
};

bool is_base(const Frame& frame) { return frame.start == frame_base; }

// ---- looking up and making nodes -------------------------------------------------------------

Node* find_callee(const ThreadState& state, const Node* parent, std::uintptr_t key) {
    for (std::uint64_t slot = table_slot(state, parent, key);; slot = (slot + 1) & state.table_mask) {
        Node* node = state.table[slot];
        if (!node || (node->key == key && node->parent == parent))
            return node;
    }
}

void put_in_table(ThreadState& state, Node* node) {
    std::uint64_t slot = table_slot(state, node->parent, node->key);
    while (state.table[slot])
        slot = (slot + 1) & state.table_mask;
    state.table[slot] = node;
    state.table_used++;
}

// Builds the table anew, twice as large if paths need it; slots under which nodes of unloaded
// libraries were filed before are dropped. Returns false without memory.
bool rebuild_table(ThreadState& state) {
    std::uint64_t old_slots = state.table_mask + 1;
    bool grow = 4 * std::uint64_t{state.node_count} > old_slots;
    std::uint64_t slots = grow ? 2 * old_slots : old_slots;
    auto* table = static_cast<Node**>(map_memory(slots * sizeof(Node*)));
    if (!table)
        return false;
    unmap_memory(state.table, old_slots * sizeof(Node*));
    state.table = table;
    state.table_mask = slots - 1;
    state.table_shift -= grow;
    state.table_used = 0;
    for (Node* node = state.root->next_created; node; node = node->next_created)
        put_in_table(state, node);
    return true;
}

// Makes the node findable by its parent and key. The table stays at most half full. Returns false
// without memory.
bool file_node(ThreadState& state, Node* node) {
    if (2 * (state.table_used + 1) > state.table_mask + 1 && !rebuild_table(state))
        return false;
    if (find_callee(state, node->parent, node->key) != node)
        put_in_table(state, node);
    return true;
}

Node* new_node(ThreadState& state, Node* parent, std::uintptr_t key, NodeKind kind) {
    auto* node = static_cast<Node*>(state.arena.allocate(sizeof(Node)));
    if (!node)
        return nullptr;
    node->key = key;
    node->parent = parent;
    node->last_callee = &no_node;
    node->number = state.node_count++;
    node->module = no_module;
    node->kind = kind;
    if (!file_node(state, node))
        return nullptr;
    // Release: another thread that follows the list finds the node complete.
    __atomic_store_n(&state.newest->next_created, node, __ATOMIC_RELEASE);
    state.newest = node;
    return node;
}

// A library that was unloaded and is loaded again goes on with its old nodes, wherever it lies
// now: a program that opens and closes plugins all day must not grow.
Node* revive_retired(ThreadState& state, Node* parent, std::uintptr_t key, std::uint16_t at) {
    if (state.nodes_were_retired) {
        state.nodes_were_retired = false;
        for (Node* node = state.root->next_created; node; node = node->next_created)
            if ((node->key & retired_bit) && !file_node(state, node))
                return nullptr;
    }
    if (at == no_module)
        return nullptr;
    Node* node = find_callee(state, parent,
                             retired_key(same_file_module(at), key - module(at).bias));
    if (!node)
        return nullptr;
    node->key = key;
    node->module = at;
    return file_node(state, node) ? node : nullptr;
}

// The path that a further level of `key` below `parent` is folded into, if `key` occurs in the
// path as often as it may; else nullptr.
Node* fold_target(Node* parent, std::uintptr_t key) {
    Node* nearest = nullptr;
    std::uint32_t occurrences = 0;
    for (Node* node = parent; node; node = node->parent)
        if (node->key == key) {
            if (!nearest)
                nearest = node;
            if (++occurrences >= tree_settings.max_recursion)
                return nearest;
        }
    return nullptr;
}

Node* make_callee(ThreadState& state, Node* parent, const Event& event) {
    std::uint16_t at = event.kind == NodeKind::function ? module_at(event.key) : no_module;
    if (Node* node = revive_retired(state, parent, event.key, at))
        return node;
    if (Node* target = fold_target(parent, event.key)) {
        Node* alias = new_node(state, parent, event.key, NodeKind::alias);
        if (alias) {
            alias->last_callee = target;
            target->flags |= node_recursion_folded;
        }
        return alias;
    }
    Node* node = new_node(state, parent, event.key, event.kind);
    if (!node)
        return nullptr;
    node->module = at;
    if (event.hook_site)
        if (std::uintptr_t body = function_start(event.hook_site))
            node->body_offset = static_cast<std::int32_t>(body - event.key);
    return node;
}

// ---- opening and closing activations ---------------------------------------------------------

void mark_path(Node* node, std::uint32_t open) {
    for (; node; node = node->parent)
        node->open = open;
}

// Fills `frame`, which lies above the frame of its caller. Returns the node, nullptr without
// memory. While recursion is folded, every node on the stack knows how often it is open, so that
// its time is taken once.
Node* open_frame(ThreadState& state, Frame* frame, const Event& event, std::uint64_t now) {
    Node* parent = frame[-1].node;
    Node* node;
    std::uint64_t start = now;
    if (event.kind == NodeKind::function && event.key == parent->key) {
        node = parent;
        start = frame_nested;
        if (state.folds)
            node->open++;
    } else {
        node = find_callee(state, parent, event.key);
        if (!node)
            node = make_callee(state, parent, event);
        if (!node)
            return nullptr;
        if (node->kind == NodeKind::alias) {
            node = node->last_callee;
            if (state.folds++ == 0)
                mark_path(parent, 1);
            node->open++;
            start = frame_fold;
        } else {
            parent->last_callee = node;
            if (state.folds)
                start = node->open++ ? frame_nested : frame_timed;
            else if (!tree_settings.processor_ticks ||
                     (is_base(frame[-1]) && state.segment->interrupted))
                start = frame_timed;
        }
    }
    frame->node = node;
    // A region belongs to the innermost function that is open, wherever the call that begins it
    // stands: in a wrapper of the user's or in our Fortran module.
    frame->stack = event.kind == NodeKind::region ? frame[-1].stack : event.stack;
    frame->slow_start = now;
    frame->start = start;
    return node;
}

// A folded path returns to itself, so that its callees' times add up to more than its own. What is
// needed to tell the exclusive times all the same: the time of the inner activations too.
void book_nested_time(ThreadState& state, Node* node, std::uint64_t ticks) {
    Node* nested = find_callee(state, node, nested_time_key);
    if (!nested)
        nested = new_node(state, node, nested_time_key, NodeKind::nested_time);
    if (nested)
        add_relaxed(nested->inclusive_ticks, ticks);
}

void close_frame(ThreadState& state, Frame* frame, std::uint64_t now, bool without_exit) {
    Node* node = frame->node;
    switch (frame->start) {
    case frame_base: return;
    case frame_overflow: state.overflow_depth = 0; return;
    case frame_paused: return;
    case frame_nested:
        if (state.folds) {
            node->open--;
            if (frame[-1].node != node)  // else direct recursion: one activation to the tree
                book_nested_time(state, node, now - frame->slow_start);
        }
        break;
    case frame_fold:
        node->open--;
        book_nested_time(state, node, now - frame->slow_start);
        if (Node* alias = find_callee(state, frame[-1].node, node->key))
            add_relaxed(alias->inclusive_ticks, now - frame->slow_start);
        if (--state.folds == 0)
            mark_path(frame[-1].node, 0);
        break;
    case frame_timed:
        if (state.folds)
            node->open--;
        add_relaxed(node->inclusive_ticks, now - frame->slow_start);
        break;
    default: add_relaxed(node->inclusive_ticks, now - frame->start);
    }
    if (without_exit)
        node->flags |= node_closed_without_exit;
}

void pop_frame(ThreadState& state, std::uint64_t now, bool without_exit) {
    close_frame(state, state.top, now, without_exit);
    state.top--;
}

// Takes `gone` out of the stack. What is open above it goes on below its caller: regions always,
// functions if `keep_functions`, else they are closed (their exit hooks were never called).
void remove_frame(ThreadState& state, Frame* gone, std::uint64_t now, bool keep_functions) {
    Frame* top = state.top;
    auto stays = [&](const Frame* frame) {
        return keep_functions || frame->node->kind != NodeKind::function;
    };
    for (Frame* frame = top; frame >= gone; frame--)
        close_frame(state, frame, now, frame != gone && !stays(frame));
    Frame* free = gone;
    for (Frame* frame = gone + 1; frame <= top; frame++) {
        if (!stays(frame) || frame->start == frame_overflow)
            continue;
        Event event{frame->node->key, frame->node->kind, 0, 0, frame->stack};
        if (open_frame(state, free, event, now))
            free++;
    }
    state.top = free - 1;
}

// From here on calls are not recorded, only counted, until the stack is back where it is now.
void open_overflow(ThreadState& state, std::uintptr_t stack) {
    Frame* frame = state.top + 1;
    *frame = {&no_node, frame_overflow, stack, 0};
    state.top = frame;
    state.overflow_depth = 1;
    state.dropped_calls++;
}

// ---- where on which stack -------------------------------------------------------------------

void switch_segment(ThreadState& state, StackSegment* segment) {
    StackSegment* left = state.segment;
    if (left == segment)
        return;
    left->top = state.top;
    // A stack that starts over (a signal handler's) is called from where the other one is now.
    if (is_base(*segment->top) && segment != left->interrupted) {
        segment->top->node = state.top->node;
        segment->interrupted = left;
    }
    state.segment = segment;
    state.frames_end = segment->frames + segment->capacity - 1;
    state.top = segment->top;
}

// The last activation on a signal handler's stack has ended: what it interrupted, perhaps a hook
// with the state half in registers, must find everything as it was.
void leave_empty_segment(ThreadState& state) {
    StackSegment* interrupted = state.segment->interrupted;
    if (interrupted && is_base(*state.top))
        switch_segment(state, interrupted);
}

// Makes the segment of `stack` current and closes what lies dead below it. Returns false if the
// address belongs to no stack that can be followed.
bool settle(ThreadState& state, std::uintptr_t stack) {
    if (stack < state.segment->low || stack > state.segment->high) {
        StackSegment* segment = segment_of(state, stack);
        if (!segment)
            return false;
        switch_segment(state, segment);
    }
    if (stack > state.top->stack) {
        std::uint64_t now = tree_ticks();
        while (stack > state.top->stack && !is_base(*state.top))
            pop_frame(state, now, true);
    }
    return true;
}

// The function whose code the activation runs in: its own, or the one that it was inlined into.
std::uintptr_t body(const Frame* frame) {
    return frame->node->key +
           static_cast<std::uintptr_t>(static_cast<std::intptr_t>(frame->node->body_offset));
}

// Address order cannot tell a function that was left by an unseen longjmp from a caller. The call
// site can: if it lies in the code of an older frame, everything above that is dead.
void close_frames_above_caller(ThreadState& state, const Event& event) {
    // An inlined function is given the call site of the function that it was inlined into.
    std::uintptr_t own_body = function_start(event.hook_site);
    std::uintptr_t caller =
        own_body && own_body != event.key ? own_body : function_start(event.callsite);
    constexpr int frames_searched = 32;
    Frame* frame = state.top;
    for (int i = 0; i < frames_searched && caller && !is_base(*frame); i++, frame--)
        if (frame->node->kind == NodeKind::function && body(frame) == caller) {
            // Functions inlined into the caller, and regions, share its stack frame.
            bool same_frame = true;
            for (Frame* above = frame + 1; above <= state.top; above++)
                same_frame &= above->node->kind != NodeKind::function ||
                              body(above) == caller || above->stack == frame->stack;
            std::uint64_t now = tree_ticks();
            while (!same_frame && state.top > frame)
                pop_frame(state, now, true);
            return;
        }
}

}  // namespace

std::uint64_t tree_ticks() {
    return tree_settings.processor_ticks ? processor_ticks() : monotonic_ns();
}

ThreadState* recording_thread_state() {
    ThreadState* state = thread_state;
    if (state->ignore_events)
        return nullptr;
    if (state == &no_thread_state) {
        lifecycle_calls.first_event();
        state = state->ignore_events ? nullptr : register_thread();
    }
    return state;
}

void enter_slowly(ThreadState* state, const Event& event) {
    if (state->in_slow_path) {
        state->dropped_calls++;
        return;
    }
    SlowPath guard(*state, event.stack);
    if (!settle(*state, event.stack)) {
        state->dropped_calls++;
        return;
    }
    if (state->top->start == frame_overflow) {
        state->overflow_depth++;
        state->dropped_calls++;
        return;
    }
    bool known = event.key == state->top->node->key ||
                 find_callee(*state, state->top->node, event.key);
    if (!known && event.callsite)
        close_frames_above_caller(*state, event);
    Node* node = nullptr;
    if (state->top < state->frames_end)
        node = open_frame(*state, state->top + 1, event, 0);
    if (!node) {
        open_overflow(*state, event.stack);
        return;
    }
    add_relaxed(node->calls, 1);
    state->top++;
    // Last, so that the making of a path is not in its time.
    std::uint64_t now = tree_ticks();
    state->top->slow_start = now;
    if (state->top->start > frame_last_kind || state->top->start == 0)
        state->top->start = now;
}

void exit_slowly(ThreadState* state, std::uintptr_t key, std::uintptr_t stack) {
    std::uint64_t now = tree_ticks();
    if (state->in_slow_path)
        return;
    SlowPath guard(*state, stack);
    if (stack < state->segment->low || stack > state->segment->high) {
        StackSegment* segment = segment_of(*state, stack);
        if (!segment)
            return;
        switch_segment(*state, segment);
    }
    if (state->top->start == frame_overflow) {
        if (--state->overflow_depth == 0)
            pop_frame(*state, now, false);
        return;
    }
    // An exit hook that is jumped to runs above its function's frame, one after an alloca()
    // below: so some frames above the address are looked at, but an exit whose entry was never
    // seen must not search a deep stack.
    int frames_left = 64;
    for (Frame* frame = state->top; !is_base(*frame) && frames_left > 0; frame--) {
        if (frame->node->key == key && frame->node->kind == NodeKind::function) {
            remove_frame(*state, frame, now, false);
            leave_empty_segment(*state);
            return;
        }
        if (frame->stack > stack)
            frames_left--;
    }
}

void unwind_to(std::uintptr_t stack) {
    ThreadState* state = thread_state;
    if (state == &no_thread_state || !state->segment)
        return;
    std::uint64_t now = tree_ticks();
    if (state->in_slow_path) {
        // A signal handler that interrupted the slow path jumps out of it, or the frame that it
        // runs for would be left below. The tree is consistent enough to go on: frames are
        // filled before they are counted.
        if (state->slow_path_stack >= stack)
            return;
        state->in_slow_path = false;
    }
    if (state->ignore_events)
        return;
    SlowPath guard(*state, stack);
    if (stack < state->segment->low || stack > state->segment->high) {
        // Back from a signal handler's own stack to the one that it interrupted.
        StackSegment* target = nullptr;
        for (StackSegment* segment = state->segments; segment; segment = segment->next)
            if (stack >= segment->low && stack <= segment->high)
                target = segment;
        if (!target)
            return;
        while (!is_base(*state->top))
            pop_frame(*state, now, true);
        switch_segment(*state, target);
    }
    while (state->top->stack < stack && !is_base(*state->top))
        pop_frame(*state, now, true);
}

RegionEnd end_region(ThreadState* state, std::uintptr_t key) {
    std::uint64_t now = tree_ticks();
    if (state->in_slow_path)
        return RegionEnd::ended;
    SlowPath guard(*state, 0);
    if (state->top->start == frame_overflow && --state->overflow_depth > 0)
        return RegionEnd::ended;
    if (state->top->start == frame_overflow) {
        pop_frame(*state, now, false);
        return RegionEnd::ended;
    }
    Frame* innermost = nullptr;
    for (Frame* frame = state->top; !is_base(*frame); frame--) {
        if (frame->node->kind != NodeKind::region)
            continue;
        if (!innermost)
            innermost = frame;
        if (frame->node->key == key) {
            bool is_innermost = frame == innermost;
            remove_frame(*state, frame, now, true);
            return is_innermost ? RegionEnd::ended : RegionEnd::ended_other_than_innermost;
        }
    }
    if (!innermost)
        return RegionEnd::none_open;
    remove_frame(*state, innermost, now, true);
    return RegionEnd::ended_innermost_instead;
}

void close_all_frames(ThreadState* state) {
    std::uint64_t now = tree_ticks();
    SlowPath guard(*state, 0);
    for (StackSegment* segment = state->segments; segment; segment = segment->next) {
        switch_segment(*state, segment);
        while (!is_base(*state->top)) {
            if (state->top->start == frame_paused)
                add_relaxed(state->top->node->inclusive_ticks, now - state->top->slow_start);
            pop_frame(*state, now, false);
        }
        segment->top = state->top;
    }
}

void pause_thread(ThreadState* state, std::uintptr_t key, std::uintptr_t stack) {
    if (state->in_slow_path)
        return;
    SlowPath guard(*state, stack);
    if (!settle(*state, stack) || state->top->start == frame_overflow)
        return;
    Node* node = find_callee(*state, state->top->node, key);
    if (!node)
        node = new_node(*state, state->top->node, key, NodeKind::pause);
    if (!node)
        return;
    add_relaxed(node->calls, 1);
    // The frame above the last one that calls may use is always there.
    Frame* frame = state->top + 1;
    *frame = {node, frame_paused, stack, tree_ticks()};
    state->top = frame;
    state->ignore_events = true;
}

void resume_thread(ThreadState* state, std::uintptr_t callsite, std::uintptr_t stack) {
    if (state->in_slow_path || state->top->start != frame_paused)
        return;
    SlowPath guard(*state, stack);
    std::uint64_t now = tree_ticks();
    std::uint64_t pause_start = state->top->slow_start, paused = now - pause_start;
    add_relaxed(state->top->node->inclusive_ticks, paused);
    state->top--;
    // What was left during the pause ended, as far as anyone knows, when the pause began.
    std::uintptr_t caller = function_start(callsite);
    auto was_left = [&](const Frame* frame) {
        return frame->stack < stack || (frame->stack == stack && body(frame) != caller &&
                                        frame->node->kind == NodeKind::function);
    };
    while (!is_base(*state->top) && was_left(state->top))
        pop_frame(*state, pause_start, true);
    // The rest goes on as if the pause had not been: no time of it in any ancestor.
    for (Frame* frame = state->top; !is_base(*frame); frame--) {
        if (frame->start > frame_last_kind)
            frame->start += paused;
        frame->slow_start += paused;
    }
    state->ignore_events = false;
}

}  // namespace vftrace
