// All threads that ever recorded something.
#include "tree/registry.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbol/modules.hpp"
#include "tree/call_tree.hpp"

extern "C" void* __libc_stack_end;  // where the kernel put the main thread's stack

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
__attribute__((tls_model("initial-exec"))) thread_local bool registering;

struct Range {
    std::uintptr_t low = 0, high = 0;
};

bool is_main_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

Range main_stack() {
    // Not pthread_getattr_np, which reads /proc/self/maps with stdio for this thread.
    constexpr std::uintptr_t unlimited = std::uintptr_t{64} << 30;
    constexpr std::uintptr_t arguments = std::uintptr_t{16} << 20;  // argv and environment above
    rlimit limit;
    std::uintptr_t size = getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : 8u << 20;
    auto top = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
    return {top - std::min(size, unlimited), top + arguments};
}

Range thread_stack() {
    Range range;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return range;
    void* start;
    std::size_t size;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        range.low = reinterpret_cast<std::uintptr_t>(start);
        range.high = range.low + size;
    }
    pthread_attr_destroy(&attributes);
    return range;
}

Range signal_stack(std::uintptr_t address) {
    stack_t stack;
    if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE))
        return {};
    auto low = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
    return address - low < stack.ss_size ? Range{low, low + stack.ss_size} : Range{};
}

// A stack that the program made itself (swapcontext, fibers): nobody tells where it ends. A piece
// around the address, short of what is known already.
Range unknown_stack(const ThreadState& state, std::uintptr_t address) {
    constexpr std::uintptr_t below = std::uintptr_t{1} << 20, above = std::uintptr_t{64} << 10;
    Range range{address - below, address + above};
    for (const StackSegment* segment = state.segments; segment; segment = segment->next) {
        if (segment->high < address)
            range.low = std::max(range.low, segment->high + 1);
        if (segment->low > address)
            range.high = std::min(range.high, segment->low - 1);
    }
    return range;
}

// Room for one frame every 32 bytes of stack, which is what the smallest instrumented function
// takes, and for calls inlined into one frame. Pages that are never reached cost nothing.
StackSegment* make_segment(ThreadState& state, Range range, Node* base) {
    constexpr std::size_t inlined = 1024, most = std::size_t{1} << 24, least = 4096;
    auto* segment = static_cast<StackSegment*>(state.arena.allocate(sizeof(StackSegment)));
    if (!segment)
        return nullptr;
    std::size_t capacity = std::min((range.high - range.low) / 32 + inlined, most);
    Frame* frames = nullptr;
    while (!(frames = static_cast<Frame*>(map_memory((capacity + 1) * sizeof(Frame)))))
        if ((capacity /= 2) < least)  // a limit on address space: shallower, not nothing
            return nullptr;
    frames[0] = {base, frame_base, range.high, 0};
    *segment = {range.low, range.high, frames, capacity, frames, nullptr, state.segments};
    state.segments = segment;
    return segment;
}

void use_as_only_segment(ThreadState& state, StackSegment* segment) {
    segment->interrupted = nullptr;
    state.segment = segment;
    state.top = segment->frames;
    state.frames_end = segment->frames + segment->capacity - 1;
}

bool start_state(ThreadState& state, Range stack) {
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
ThreadState* take_over_ended(Range stack) {
    for (ThreadState* state = all_threads; state; state = state->next) {
        if (state->in_use)
            continue;
        StackSegment* fitting = nullptr;
        for (StackSegment* segment = state->segments; segment; segment = segment->next) {
            // Another thread's stacks: their addresses mean nothing any more.
            segment->low = segment->high = 0;
            if (segment->capacity * 32 >= stack.high - stack.low)
                fitting = segment;
        }
        if (fitting) {
            fitting->low = stack.low;
            fitting->high = stack.high;
            fitting->frames[0] = {state->root, frame_base, stack.high, 0};
        } else if (!(fitting = make_segment(*state, stack, state->root))) {
            return nullptr;
        }
        use_as_only_segment(*state, fitting);
        state->in_use = true;
        return state;
    }
    return nullptr;
}

void end_thread(void* argument) {
    auto* state = static_cast<ThreadState*>(argument);
    thread_state = &no_thread_state;  // destructors that follow may be instrumented: a new start
    close_all_frames(state);
    state->ignore_events = false;
    __atomic_store_n(&state->in_use, false, __ATOMIC_RELEASE);
}

// In a child process only the forking thread lives on, and the trees are its parent's.
void forget_after_fork() {
    no_thread_state.ignore_events = true;
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
ThreadState no_thread_state = {.top = &no_frame,
                               .stack_low = ~std::uintptr_t{0},
                               .frames_end = &no_frame,
                               .table = nullptr,
                               .table_shift = 0,
                               .table_mask = 0,
                               .in_slow_path = false,
                               .ignore_events = false,  // the first event starts the library
                               .nodes_were_retired = false,
                               .in_use = true,
                               .folds = 0,
                               .overflow_depth = 0,
                               .dropped_calls = 0,
                               .slow_path_stack = 0,
                               .segment = nullptr,
                               .segments = nullptr,
                               .root = nullptr,
                               .newest = nullptr,
                               .node_count = 0,
                               .table_used = 0,
                               .arena = {},
                               .next = nullptr};
__thread ThreadState* thread_state = &no_thread_state;

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
    if (!state || !start_state(*state, is_main_thread() ? main_stack() : thread_stack()))
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
    if (registering)
        return nullptr;
    registering = true;
    int saved_errno = errno;
    bool main_thread = is_main_thread();
    Range stack = main_thread ? main_stack() : thread_stack();
    pthread_mutex_lock(&lock);
    ThreadState* state = stack.high ? take_over_ended(stack) : nullptr;
    if (!state && stack.high) {
        state = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
        if (state && start_state(*state, stack)) {
            state->in_use = true;
            state->next = all_threads;
            __atomic_store_n(&all_threads, state, __ATOMIC_RELEASE);
        } else {
            state = nullptr;
        }
    }
    if (state)
        count++;
    pthread_mutex_unlock(&lock);
    if (state) {
        state->stack_low = tree_settings.processor_ticks ? state->segment->low : ~std::uintptr_t{0};
        thread_state = state;
        if (!main_thread && thread_end_key_made)
            pthread_setspecific(thread_end_key, state);
    }
    errno = saved_errno;
    registering = false;
    return state;
}

ThreadState* first_thread_state() { return __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); }

std::uint32_t thread_count() { return count; }

StackSegment* segment_of(ThreadState& state, std::uintptr_t address) {
    StackSegment* primary = nullptr;
    for (StackSegment* segment = state.segments; segment; segment = segment->next) {
        if (address >= segment->low && address <= segment->high)
            return segment;
        primary = segment;
    }
    // The main thread's stack may grow beyond what setrlimit() allowed at start.
    if (is_main_thread()) {
        Range now = main_stack();
        if (address >= now.low && address <= now.high) {
            primary->low = now.low;
            return primary;
        }
    }
    Range range = signal_stack(address);
    if (!range.high)
        range = unknown_stack(state, address);
    return make_segment(state, range, state.top->node);
}

void retire_module(std::uint16_t gone) {
    pthread_mutex_lock(&lock);
    for (ThreadState* state = all_threads; state; state = state->next) {
        for (Node* node = state->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
            if (node->module != gone || (node->key & retired_bit))
                continue;
            node->key = retired_key(same_file_module(gone), node->key - module(gone).bias);
            state->nodes_were_retired = true;
        }
    }
    pthread_mutex_unlock(&lock);
}

std::uint64_t tree_memory_bytes() {
    std::uint64_t bytes = 0;
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        bytes += sizeof *state + state->arena.mapped_bytes() +
                 (state->table_mask + 1) * sizeof(Node*);
    return bytes;
}

}  // namespace vftrace
