// All threads that ever recorded something.
#include "tree/registry.hpp"

#include <cerrno>
#include <pthread.h>

#include "symbol/modules.hpp"
#include "tree/call_tree.hpp"
#include "tree/stack_segments.hpp"

namespace vftrace {
namespace {

// Entries and exits at this frame go the slow way.
Frame no_frame = {&no_node, frame_base, ~std::uintptr_t{0}, 0};

constexpr std::uint64_t initial_slots = 128;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
ThreadState* all_threads;
std::uint32_t count;
pthread_key_t thread_end_key;
bool thread_end_key_made;
__attribute__((tls_model("initial-exec"))) thread_local bool counted;  // in `count`

void use_as_only_segment(ThreadState& state, StackSegment* segment) {
    segment->interrupted = nullptr;
    state.segment = state.own_segment = segment;
    state.top = segment->frames;
    state.frames_end = segment->frames + segment->capacity - 1;
}

bool start_state(ThreadState& state, StackRange stack) {
    state.table = static_cast<Node**>(map_memory(initial_slots * sizeof(Node*)));
    state.root = static_cast<Node*>(state.arena.allocate(sizeof(Node)));
    if (!state.table || !state.root)
        return false;
    state.table_mask = initial_slots - 1;
    state.table_shift = static_cast<std::uint64_t>(__builtin_clzll(initial_slots)) + 1;
    state.root->key = retired_bit | 1;
    state.root->last_callee = &no_node;
    state.root->module = no_module;
    state.node_count = 1;
    state.newest = state.root;
    StackSegment* segment = make_segment(state, stack, state.root);
    if (!segment)
        return false;
    use_as_only_segment(state, segment);
    return true;
}

// A new thread goes on with the tree of one that has ended: they are summed at the end anyway,
// and ten thousand short threads need the memory of one.
ThreadState* take_over_ended(StackRange stack) {
    for (ThreadState* state = all_threads; state; state = state->next) {
        if (state->in_use)
            continue;
        for (StackSegment* segment = state->segments; segment; segment = segment->next)
            release_segment(segment);  // another thread's addresses mean nothing any more
        StackSegment* segment = make_segment(*state, stack, state->root);
        if (!segment)
            return nullptr;
        use_as_only_segment(*state, segment);
        state->in_use = true;
        return state;
    }
    return nullptr;
}

void end_thread(void* argument) {
    auto* state = static_cast<ThreadState*>(argument);
    close_all_frames(state);
    // Destructors that follow may be instrumented: a new start.
    own_thread_state = nullptr;
    thread_state = &no_thread_state;
    state->ignore_events = false;
    __atomic_store_n(&state->in_use, false, __ATOMIC_RELEASE);
}

// In a child process only the forking thread lives on, and the trees are its parent's.
void forget_after_fork() {
    no_thread_state.ignore_events = true;
    own_thread_state = nullptr;
    thread_state = &no_thread_state;
}

}  // namespace

Node no_node = {.key = retired_bit,
                .parent = nullptr,
                .last_callee = &no_node,
                .calls = 0,
                .inclusive_ticks = 0,
                .next_created = nullptr,
                .number = 0,
                .open = 0,
                .body_offset = 0,
                .module = no_module,
                .kind = NodeKind::root,
                .flags = 0};
// What both have in common is that they are no thread's.
#define VFTRACE_STATE_WITHOUT_THREAD                                                               \
    {                                                                                              \
        .top = &no_frame, .stack_low = ~std::uintptr_t{0}, .frames_end = &no_frame,                \
        .table = nullptr, .table_shift = 0, .table_mask = 0, .ignore_events = false,               \
        .nodes_were_retired = false, .in_use = true, .folds = 0, .overflow_depth = 0,              \
        .dropped_calls = 0, .slow_path_stack = 0, .segment = nullptr, .own_segment = nullptr,      \
        .segments = nullptr, .root = nullptr, .newest = nullptr, .node_count = 0, .table_used = 0, \
        .arena = {}, .messages = nullptr, .next = nullptr                                          \
    }
ThreadState no_thread_state = VFTRACE_STATE_WITHOUT_THREAD;  // the first event starts the library
ThreadState busy_thread_state = VFTRACE_STATE_WITHOUT_THREAD;
#undef VFTRACE_STATE_WITHOUT_THREAD
__thread ThreadState* thread_state = &no_thread_state;
__thread ThreadState* own_thread_state;

void start_recording() {
    if (!thread_end_key_made) {
        thread_end_key_made = pthread_key_create(&thread_end_key, end_thread) == 0;
        pthread_atfork(nullptr, nullptr, forget_after_fork);
    }
    __atomic_store_n(&no_thread_state.ignore_events, false, __ATOMIC_RELEASE);
}

void wait_with_recording() { no_thread_state.ignore_events = true; }

ThreadState* make_scratch_state() {
    auto* state = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
    if (!state || !start_state(*state, own_stack()))
        return nullptr;
    state->stack_low = state->segment->low;
    return state;
}

void stop_recording() {
    pthread_mutex_lock(&lock);
    no_thread_state.ignore_events = true;
    for (ThreadState* state = all_threads; state; state = state->next) {
        state->ignore_events = true;
        __atomic_store_n(&state->stack_low, ~std::uintptr_t{0}, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
}

ThreadState* register_thread() {
    thread_state = &busy_thread_state;  // reading the stack's range may allocate
    int saved_errno = errno;
    bool main_thread = is_main_thread();
    StackRange stack = own_stack();
    pthread_mutex_lock(&lock);
    bool recording = !no_thread_state.ignore_events && stack.high;
    ThreadState* state = recording ? take_over_ended(stack) : nullptr;
    if (!state && recording) {
        state = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
        if (state && start_state(*state, stack)) {
            state->in_use = true;
            state->next = all_threads;
            __atomic_store_n(&all_threads, state, __ATOMIC_RELEASE);
        } else {
            state = nullptr;
        }
    }
    bool first = state && count == 0;
    if (state && !counted) {
        counted = true;  // a thread whose late destructors make events comes here again
        count++;
    }
    pthread_mutex_unlock(&lock);
    if (first)
        lifecycle_calls.first_thread();
    if (state && !main_thread && thread_end_key_made)
        pthread_setspecific(thread_end_key, state);
    if (state)
        state->stack_low = tree_settings.processor_ticks ? state->segment->low : ~std::uintptr_t{0};
    own_thread_state = state;
    thread_state = state ? state : &no_thread_state;
    errno = saved_errno;
    return state;
}

ThreadState* first_thread_state() { return __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); }

std::uint32_t thread_count() { return count; }

// Calls change(node) for all nodes of `module` in all threads whose key is (not) a retired one.
template <class Change>
static void for_nodes_of(std::uint16_t wanted, bool retired, Change change) {
    pthread_mutex_lock(&lock);
    for (ThreadState* state = all_threads; state; state = state->next)
        for (Node* node = state->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
            if (node->module == wanted && ((node->key & retired_bit) != 0) == retired) {
                change(node);
                state->nodes_were_retired |= !retired;
            }
    pthread_mutex_unlock(&lock);
}

void retire_module(std::uint16_t gone) {
    std::uintptr_t file = same_file_module(gone), bias = module(gone).bias;
    for_nodes_of(gone, false, [=](Node* node) { node->key = retired_key(file, node->key - bias); });
}

void restore_module(std::uint16_t still_there) {
    std::uintptr_t bias = module(still_there).bias;
    for_nodes_of(still_there, true,
                 [=](Node* node) { node->key = (node->key & retired_offset_mask) + bias; });
}

std::uint64_t tree_memory_bytes() {
    std::uint64_t bytes = 0;
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        bytes +=
            sizeof *state + state->arena.mapped_bytes() + (state->table_mask + 1) * sizeof(Node*);
    return bytes;
}

}  // namespace vftrace
