#include "tree/registry.hpp"

#include <cerrno>
#include <climits>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/prepend.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/frame_address.hpp"
#include "guest/held_cancellation.hpp"
#include "guest/modules.hpp"
#include "guest/seccomp.hpp"
#include "tree/call_tree.hpp"
#include "tree/folding.hpp"
#include "tree/fork_path.hpp"
#include "tree/frames.hpp"
#include "tree/own_record.hpp"
#include "tree/pause.hpp"
#include "tree/sampled_addresses.hpp"
#include "tree/slow_path.hpp"
#include "tree/source.hpp"
#include "tree/stack_segments.hpp"
#include "tree/thread_names.hpp"
#include "tree/tree_memory.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

// Entries and exits at this frame take the slow path.
Frame no_frame = {&no_node, frame_base, ~std::uintptr_t{0}, 0};

constexpr std::uint64_t initial_slots = 128;

BoundedLock lock;
ThreadState* all_threads;
// Those whose threads have ended: under the lock, and those that have ended since the last look.
ThreadState *ended_threads, *newly_ended;
Arena states(map_memory_wiped_on_fork), records(map_tree_memory);
std::uint32_t count;
bool recording;
bool forked;  // a child that has recorded nothing yet
pthread_key_t thread_end_key;
bool thread_end_key_made;
__attribute__((tls_model("initial-exec"))) thread_local bool counted;  // in `count`
__attribute__((tls_model("initial-exec"))) thread_local int registrations;

void use_as_only_segment(ThreadState& state, StackSegment* segment) {
    segment->interrupted = nullptr;
    state.segment = state.own_segment = segment;
    state.top = segment->frames;
    state.frames_end = segment->frames + segment->capacity - 1;
}

bool start_state(ThreadState& state, ThreadRecord& record, StackRange stack) {
    state.record = &record;
    state.switches_written = &state.switches_read;
    record.root = static_cast<Node*>(state.arena.allocate(sizeof(Node)));
    if (!state.table || !record.root)
        return false;
    state.table_mask = initial_slots - 1;
    state.table_shift = static_cast<std::uint64_t>(__builtin_clzll(initial_slots)) + 1;
    record.root->key = retired_bit | 1;
    record.root->last_callee = &no_node;
    record.root->timing = every_call_timed;
    record.root->module = no_module;
    record.node_count = 1;
    record.paused_ticks = process_record ? process_record->paused_ticks : 0;
    state.newest = record.root;
    state.random = reinterpret_cast<std::uintptr_t>(&state) | 1;
    StackSegment* segment = make_segment(state, stack, record.root);
    if (!segment)
        return false;
    use_as_only_segment(state, segment);
    return true;
}

// The end of a thread does not wait for the lock.
void add_ended(ThreadState& state) { prepend(newly_ended, &state, &ThreadState::next_ended); }

void look_for_ended_threads() {
    ThreadState* state = __atomic_exchange_n(&newly_ended, nullptr, __ATOMIC_ACQUIRE);
    while (state) {
        ThreadState* const next = state->next_ended;
        state->next_ended = ended_threads;
        ended_threads = state;
        state = next;
    }
}

// Gives the stack segments of a thread that has ended to a thread with a new tree.
void take_segments(ThreadState& state) {
    for (ThreadState* ended = ended_threads; ended; ended = ended->next_ended)
        if (ended->record->segments) {
            state.record->segments = ended->record->segments;
            ended->record->segments = nullptr;
            for (StackSegment* segment = state.record->segments; segment; segment = segment->next)
                release_segment(segment);
            return;
        }
}

// The link to the state of a thread that has ended and had the same start. Named threads have
// separate trees, as long as there are not too many of them.
ThreadState** ended_with_same_start() {
    constexpr int many = 64;
    ThreadState** named = nullptr;
    int names = 0;
    for (ThreadState** link = &ended_threads; *link; link = &(*link)->next_ended) {
        const ThreadRecord& record = *(*link)->record;
        if (record.start != thread_start.place || record.is_worker != thread_start.is_worker ||
            record.tid == process_record->pid)  // the main thread's tree is never taken over
            continue;
        if (!*record.name)
            return link;
        named = link;
        names++;
    }
    return names >= many ? named : nullptr;
}

// A new thread continues with the tree of such a thread: ten thousand short-lived threads need the
// memory of one.
ThreadState* take_over_ended(StackRange stack) {
    look_for_ended_threads();
    ThreadState** const link = ended_with_same_start();
    if (!link)
        return nullptr;
    ThreadState* const state = *link;
    // Another thread's addresses mean nothing any more.
    for (StackSegment* segment = state->record->segments; segment; segment = segment->next)
        release_segment(segment);
    StackSegment* segment = make_segment(*state, stack, state->record->root);
    if (!segment)
        return nullptr;
    use_as_only_segment(*state, segment);
    *link = state->next_ended;
    return state;
}

// A child process has its parent's record until it has created its own, and anything written there
// would go into the parent's profile.
bool has_own_record() {
    return process_record && process_record->pid == static_cast<std::int64_t>(getpid());
}

ThreadState* make_state(StackRange stack) {
    auto* state = static_cast<ThreadState*>(states.allocate(sizeof(ThreadState)));
    auto* record = static_cast<ThreadRecord*>(records.allocate(sizeof(ThreadRecord)));
    if (!state || !record)
        return nullptr;
    constexpr std::uint32_t first_chunk = 4 * 1024;  // for 30 paths: threads may be thousands
    state->record = record;
    state->table = static_cast<Node**>(states.allocate(initial_slots * sizeof(Node*)));
    state->table_is_part = true;
    state->arena = Arena(map_tree_memory, first_chunk);
    take_segments(*state);
    if (!start_state(*state, *record, stack))
        return nullptr;
    record->start = thread_start.place;
    record->is_worker = thread_start.is_worker;
    record->number = process_record->thread_count;
    record->root->body_offset = static_cast<std::int32_t>(record->number);
    state->next = all_threads;
    __atomic_store_n(&all_threads, state, __ATOMIC_RELEASE);
    record->next = process_record->threads;
    __atomic_store_n(&process_record->threads, record, __ATOMIC_RELEASE);
    __atomic_store_n(&process_record->thread_count, record->number + 1, __ATOMIC_RELEASE);
    return state;
}

// From its start, the thread works below [thread].
void open_start(ThreadState& state, bool again) {
    if (thread_start.is_worker || is_main_thread())
        return;
    Event event{reinterpret_cast<std::uintptr_t>(thread_start.place), NodeKind::graft, 0, 0,
                state.top->stack};
    if (!thread_start.place)
        event = {thread_key, NodeKind::thread, 0, 0, state.top->stack};
    Node* node = open_frame(state, state.top + 1, event, state.record->started);
    if (!node)
        return;
    if (!again)
        add_relaxed(node->calls, 1);
    if (sampling_calls)
        set_flag(*node, node_sampled);  // the time of a thread is then that of its samples
    state.top++;
    note_enter(state, node, state.record->started);
}

void end_thread(void* argument) {
    auto* state = static_cast<ThreadState*>(argument);
    if (own_thread_state != state || !state->segment)
        return;  // in a child of fork
    ThreadRecord& record = *state->record;
    close_all_frames(state);
    call_sources(&Source::thread_ends, *state);
    note_own_name(record);
    set_shared(record.lived_ticks, record.lived_ticks + (tree_ticks() - record.started));
    // Destructors that run later may be instrumented: for them the thread starts again.
    own_thread_state = nullptr;
    thread_state = &no_thread_state;
    set_shared(state->ignore_events, false);
    __atomic_store_n(&record.in_use, 0, __ATOMIC_RELEASE);
    add_ended(*state);
    lifecycle_calls.thread_ends();
}

void before_fork() {
    if (own_thread_state && own_thread_state->segment)
        save_fork_path(*own_thread_state);
}

// In a child process only the forking thread remains, and the trees belong to the parent.
void after_fork_in_child() {
    forked = recording;
    ThreadStart start = thread_start;
    thread_start = {};  // its place is in the parent's tree
    thread_start.stack = start.stack;
    thread_start.first_function = start.first_function;
    own_thread_state = nullptr;
    thread_state = &no_thread_state;
}

}  // namespace

constinit Node no_node = [] {
    Node node{};
    node.key = retired_bit;
    node.last_callee = &no_node;
    node.timing = every_call_timed;
    node.module = no_module;
    return node;
}();
static constexpr std::uint64_t never_written = 0;
// What both states have in common is that they do not belong to a thread.
static constexpr ThreadState state_without_thread() {
    ThreadState state{};
    state.top = state.frames_end = &no_frame;
    state.random = 1;
    state.switches_written = &never_written;
    return state;
}
constinit ThreadState no_thread_state =
    state_without_thread();  // the first event starts the library
constinit ThreadState busy_thread_state = state_without_thread();
__thread ThreadState* thread_state = &no_thread_state;
__thread ThreadState* own_thread_state;
__thread ThreadStart thread_start = {};

void start_recording() {
    if (!thread_end_key_made) {
        thread_end_key_made = pthread_key_create(&thread_end_key, end_thread) == 0;
        pthread_atfork(before_fork, forget_fork_path, after_fork_in_child);
        note_program_name();
    }
    set_shared(recording, true);
    __atomic_store_n(&no_thread_state.ignore_events, false, __ATOMIC_RELEASE);
}

void wait_with_recording() { no_thread_state.ignore_events = true; }

// What hooks compare with when they are measured, on whatever stack that is.
static StackRange stack_around_here() {
    constexpr std::uintptr_t enough = 1 << 20;
    const std::uintptr_t here = frame_address();
    return {here - enough, here + enough};
}

ThreadState* make_scratch_state() {
    auto* state = static_cast<ThreadState*>(map_memory(sizeof(ThreadState)));
    auto* record = static_cast<ThreadRecord*>(map_memory(sizeof(ThreadRecord)));
    if (!state || !record)
        return nullptr;
    state->record = record;
    state->table = static_cast<Node**>(map_memory(initial_slots * sizeof(Node*)));
    if (!start_state(*state, *record, stack_around_here()))
        return nullptr;
    state->inverted_low = ~state->segment->low;
    return state;
}

void ignore_events_of_all_threads() {
    bool locked = lock.lock();
    __atomic_store_n(&no_thread_state.ignore_events, true, __ATOMIC_RELEASE);
    // Twice, because a thread that is just leaving its slow path may set its limit once more.
    for (int pass = 0; pass < 2; pass++)
        for (ThreadState* state = all_threads; state; state = state->next) {
            __atomic_store_n(&state->ignore_events, true, __ATOMIC_SEQ_CST);
            __atomic_store_n(&state->inverted_low, 0, __ATOMIC_SEQ_CST);
            if (EventBuffer* trace = plain_read(state->trace))
                __atomic_store_n(&trace->inverted_low, 0, __ATOMIC_SEQ_CST);
        }
    if (locked)
        lock.unlock();
}

void heed_events_of_all_threads() {
    if (!plain_read(recording))
        return;
    bool locked = lock.lock();
    for (ThreadState* state = all_threads; state; state = state->next)
        __atomic_store_n(&state->ignore_events, false, __ATOMIC_RELEASE);
    __atomic_store_n(&no_thread_state.ignore_events, false, __ATOMIC_RELEASE);
    if (locked)
        lock.unlock();
}

void have_threads_look_for_open_calls() {
    bool locked = lock.lock();
    for (ThreadState* state = all_threads; state; state = state->next)
        set_shared(state->open_calls_are_due, true);
    if (locked)
        lock.unlock();
}

void stop_recording() {
    set_shared(recording, false);
    ignore_events_of_all_threads();
}

ThreadState* register_thread() {
    if (seccomp_filter_was_noted()) {  // system calls would be needed, here and at its end
        thread_state = &busy_thread_state;
        return nullptr;
    }
    HeldCancellation held;
    thread_state = &busy_thread_state;  // reading the main stack's range may allocate
    int saved_errno = errno;
    StackRange stack = thread_start.stack.high ? thread_start.stack : own_stack();
    // The end of a further registration would not be noticed.
    bool ends = registrations++ < PTHREAD_DESTRUCTOR_ITERATIONS;
    bool possible = plain_read(recording) && has_own_record() && stack.high && ends && lock.lock();
    ThreadState* state = possible ? take_over_ended(stack) : nullptr;
    if (possible && !state)
        state = make_state(stack);
    bool first = state && count == 0, again = false;
    if (state) {
        ThreadRecord& record = *state->record;
        set_shared(record.tid, static_cast<std::int32_t>(syscall(SYS_gettid)));
        set_shared(record.handle, std::uint64_t{pthread_self()});
        // A thread whose late destructors produce events gets here again.
        again = counted;
        const std::uint64_t on = switched_on_at();
        const bool was_there = !again && (on > thread_start.started);
        set_shared(record.started, was_there                        ? on
                                   : thread_start.started && !again ? thread_start.started
                                                                    : tree_ticks());
        set_shared(state->open_calls_are_due, was_there);
        set_shared(record.paused_ticks, process_record->paused_ticks);
        __atomic_store_n(&record.in_use, 1, __ATOMIC_RELEASE);
        set_shared(state->ignore_events, false);
        if (!counted) {
            counted = true;
            count++;
            set_shared(record.threads, record.threads + 1);
        }
    }
    if (possible)
        lock.unlock();
    if (first)
        lifecycle_calls.first_thread();
    if (state) {
        start_tracing(*state);
        lifecycle_calls.thread_begins();
        if (thread_end_key_made)
            pthread_setspecific(thread_end_key, state);
        if (!open_fork_path(*state))
            open_start(*state, again);
        call_sources(&Source::thread_begins, *state);
        set_hot_limit(*state,
                      tree_settings.processor_ticks ? ~state->segment->low : std::uintptr_t{0});
    }
    if (possible && !state) {
        VFTRACE_MESSAGE_ONCE("not enough memory to record a thread");
        lifecycle_calls.first_thread();
    }
    own_thread_state = state;
    // Without memory, registration is not tried again: each attempt uses some of what is left.
    thread_state = state ? state : possible || !ends ? &busy_thread_state : &no_thread_state;
    errno = saved_errno;
    return state;
}

bool is_new_child() {
    // However the child was created, the states of its parent are wiped.
    const ThreadState* any = first_thread_state();
    return plain_read(forked) || (any && !plain_read(any->record));
}

void forget_parents_threads() {
    forked = false;
    lock = {};
    forget_event_buffers();
    all_threads = ended_threads = newly_ended = nullptr;
    states = Arena(map_memory_wiped_on_fork);
    records = Arena(map_tree_memory);
    count = 0;
    counted = false;
    registrations = 0;
    own_thread_state = nullptr;
    thread_start.place = nullptr;  // of a thread that the child made before: in the parent's tree
    thread_start.generation = 0;
    restart_pauses();
}

ThreadState* first_thread_state() { return __atomic_load_n(&all_threads, __ATOMIC_ACQUIRE); }

std::uint32_t thread_count() { return count; }

// Calls change(node) for all nodes of module `wanted` whose key is (not) `retired`, in all threads,
// and makes the addresses of its samples retired, or valid again.
template <class Change>
static void for_nodes_of(std::uint16_t wanted, bool retired, Change change) {
    bool locked = lock.lock();
    for (ThreadState* state = all_threads; state; state = state->next) {
        retire_addresses(*state->record, wanted, retired);
        for (Node* node = state->record->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
            if (kind_of_calls(*node) == NodeKind::function && node->module == wanted &&
                ((node->key & retired_bit) != 0) == retired) {
                change(node);
                state->nodes_were_retired |= !retired;
            }
    }
    if (locked)
        lock.unlock();
}

static std::uint32_t retirements;

std::uint32_t retired_modules() { return plain_read(retirements); }

void retire_module(std::uint16_t gone) {
    __atomic_fetch_add(&retirements, 1, __ATOMIC_RELAXED);
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
        bytes += sizeof *state + sizeof *state->record + state->arena.mapped_bytes() +
                 (state->table_mask + 1) * sizeof(Node*);
    return bytes;
}

}  // namespace vftrace
