#include "tree/stack_segments.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/process_identity.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/grafts.hpp"
#include "tree/tree_memory.hpp"
#include "tree/upcalls.hpp"

extern "C" void* __libc_stack_end;  // where the kernel put the main thread's stack

namespace vftrace {
namespace {

StackRange main_stack() {
    // Not by pthread_getattr_np(), which for this thread reads /proc/self/maps with stdio.
    constexpr std::uintptr_t unlimited = std::uintptr_t{64} << 30;
    constexpr std::uintptr_t arguments = std::uintptr_t{16} << 20;  // argv and environment above
    rlimit limit;
    std::uintptr_t size = getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : 8u << 20;
    auto top = reinterpret_cast<std::uintptr_t>(__libc_stack_end);
    return {top - std::min(size, unlimited), top + arguments};
}

StackRange thread_stack() {
    StackRange range;
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

StackRange signal_stack(std::uintptr_t address) {
    // The kernel's own answer, because sigaltstack() hides the stacks that we provide from the
    // program.
    stack_t stack;
    if (syscall(SYS_sigaltstack, nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE))
        return {};
    auto low = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
    return address - low < stack.ss_size ? StackRange{low, low + stack.ss_size} : StackRange{};
}

// A stack that the program itself created (swapcontext, fibers): its end is unknown. Returns a
// range around the address that does not overlap the segments known already.
StackRange unknown_stack(const ThreadState& state, std::uintptr_t address) {
    constexpr std::uintptr_t below = std::uintptr_t{1} << 20, above = std::uintptr_t{64} << 10;
    StackRange range{address - below, address + above};
    for (const StackSegment* segment = state.record->segments; segment; segment = segment->next) {
        if (segment->high < address)
            range.low = std::max(range.low, segment->high + 1);
        if (segment->low > address)
            range.high = std::min(range.high, segment->low - 1);
    }
    return range;
}

// The memory that frames get first, and the memory for all of them.
std::size_t first_bytes() { return static_cast<std::size_t>(std::max(getpagesize(), 4096)); }
std::size_t bytes_for(std::size_t frames) {
    return ((frames + 1) * sizeof(Frame) + 0xffff) & ~std::size_t{0xffff};
}

// An address for frames of this size that is far from everything else: there they can grow in place
// without having reserved addresses, which ulimit -v and mlockall() count. The kernel maps files
// and memory at the upper end of the addresses, or in their upper two thirds.
char* next_place(std::size_t bytes) {
    static std::uintptr_t next;
    constexpr std::size_t gap = 64 * 1024;
    if (std::uintptr_t none = 0; !__atomic_load_n(&next, __ATOMIC_RELAXED)) {
        constexpr std::uintptr_t alignment = std::uintptr_t{1} << 30;
        void* const usual = map_memory(first_bytes());
        if (!usual)
            return nullptr;
        unmap_memory(usual, first_bytes());
        const std::uintptr_t first =
            reinterpret_cast<std::uintptr_t>(usual) / 2 / alignment * alignment;
        __atomic_compare_exchange_n(&next, &none, first, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
    return reinterpret_cast<char*>(__atomic_fetch_add(&next, bytes + gap, __ATOMIC_RELAXED));
}

// Under `ulimit -v`, reserved memory is not available to the program.
bool address_space_is_limited() {
    rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

bool is_main_thread() { return process_identity() == static_cast<int>(syscall(SYS_gettid)); }

StackRange own_stack() { return is_main_thread() ? main_stack() : thread_stack(); }

// Whether the segment is the current one, or belongs to a stack from which the current one was
// entered.
static bool is_in_use(const ThreadState& state, const StackSegment* segment) {
    const StackSegment* user = state.segment;
    while (user && user != segment)
        user = user->interrupted;
    return user;
}

// A segment that can be used for another stack: its stack is gone, or, if there are very many
// segments, nothing is open on it.
static StackSegment* free_segment(const ThreadState& state, std::size_t frames) {
    constexpr int many = 64;
    StackSegment* empty = nullptr;
    int segments = 0;
    for (StackSegment* segment = state.record->segments; segment; segment = segment->next) {
        if (segment->reserved < frames)
            continue;
        if (segment->high == 0)
            return segment;
        segments++;
        if (is_base(*segment->top) && segment != state.own_segment && !is_in_use(state, segment))
            empty = segment;
    }
    return segments > many ? empty : nullptr;
}

// Gives the segment memory for its first frames, and room for `wanted`. Returns false without
// memory.
static bool take_frames(ThreadState& state, StackSegment& segment, std::size_t wanted) {
    constexpr std::size_t least = 4096;
    const std::size_t first = first_bytes();
    char* const place = next_place(bytes_for(wanted));
    segment.frames = place ? static_cast<Frame*>(map_memory_at(place, first)) : nullptr;
    segment.takes_addresses = segment.frames;
    // Not everything allows to choose addresses; ThreadSanitizer does not. Then they are reserved.
    // A limit makes the segment smaller; a segment without frames is never used.
    if (!segment.frames && address_space_is_limited())
        wanted /= 8;
    while (!segment.frames) {
        segment.frames = static_cast<Frame*>(map_memory(bytes_for(wanted)));
        if (!segment.frames && (wanted /= 2) < least)
            return false;
    }
    segment.reserved = bytes_for(wanted) / sizeof(Frame) - 1;
    segment.capacity = first / sizeof(Frame) - 1;
    if (state.arena.source() == map_tree_memory)
        put_into_tree_file(segment.frames, first);
    return true;
}

StackSegment* make_segment(ThreadState& state, StackRange range, Node* base) {
    constexpr std::size_t inlined = 1024, most = std::size_t{1} << 24, stack_per_frame = 32;
    std::size_t wanted = std::min((range.high - range.low) / stack_per_frame + inlined, most);
    StackSegment* segment = free_segment(state, wanted);
    if (!segment) {
        segment = static_cast<StackSegment*>(state.arena.allocate(sizeof(StackSegment)));
        if (!segment || !take_frames(state, *segment, wanted))
            return nullptr;
        segment->next = state.record->segments;
        __atomic_store_n(&state.record->segments, segment, __ATOMIC_RELEASE);
    }
    segment->low = range.low;
    segment->high = range.high;
    segment->frames[0] = {base, frame_base, range.high, 0};
    segment->top = segment->frames;
    segment->interrupted = nullptr;
    segment->suspended_at = 0;
    segment->of_signals = false;
    return segment;
}

bool grow_segment(ThreadState& state) {
    StackSegment& segment = *state.segment;
    std::size_t bytes = (segment.capacity + 1) * sizeof(Frame);
    std::size_t whole = bytes_for(segment.reserved);
    if (bytes >= whole)
        return false;
    std::size_t more = std::min(bytes, whole - bytes);
    char* const end = reinterpret_cast<char*>(segment.frames) + bytes;
    if (segment.takes_addresses && !map_memory_at(end, more)) {
        segment.reserved = segment.capacity;  // nor later
        return false;
    }
    if (state.arena.source() == map_tree_memory)
        put_into_tree_file(end, more);
    segment.capacity = (bytes + more) / sizeof(Frame) - 1;
    state.frames_end = segment.frames + segment.capacity - 1;
    return true;
}

void release_segment(StackSegment* segment) {
    for (Frame* frame = segment->frames;
         frame < segment->frames + segment->capacity && frame->stack; frame++)
        frame->stack = 0;
    segment->low = segment->high = 0;
}

static Node* current_node(const ThreadState& state) {
    return state.top->start == frame_overflow ? state.top[-1].node : state.top->node;
}

StackSegment* segment_of(ThreadState& state, std::uintptr_t address) {
    for (StackSegment* segment = state.record->segments; segment; segment = segment->next)
        if (address >= segment->low && address <= segment->high)
            return segment;
    // The main thread's stack may grow beyond the limit at the start if setrlimit() has raised it
    // since.
    if (is_main_thread()) {
        StackRange now = main_stack();
        if (address >= now.low && address <= now.high) {
            state.own_segment->low = now.low;
            return state.own_segment;
        }
    }
    StackRange range = signal_stack(address);
    bool of_signals = range.high;
    if (!of_signals)
        range = unknown_stack(state, address);
    StackSegment* segment = make_segment(state, range, current_node(state));
    if (segment)
        segment->of_signals = of_signals;
    return segment;
}

StackSegment* segment_of(ThreadState& state, std::uintptr_t address, StackRange range) {
    if (address < range.low || address > range.high)
        return segment_of(state, address);
    for (StackSegment* segment = state.record->segments; segment; segment = segment->next) {
        if (segment->low == range.low && segment->high == range.high)
            return segment;
        // Another stack was here before, or the segment is a guessed range that covers part of this
        // stack.
        if (segment != state.own_segment && !is_in_use(state, segment) && segment->high &&
            segment->low < range.high && segment->high > range.low)
            release_segment(segment);
    }
    return make_segment(state, range, current_node(state));
}

void move_starts(StackSegment& segment, const Frame* top, std::uint64_t ticks, std::uint64_t now) {
    if (own_thread_state)
        own_thread_state->frame_moves++;
    for (Frame* frame = segment.frames + 1; frame <= top; frame++) {
        if (frame->start > frame_last_kind)
            set_shared(frame->start, std::min(frame->start + ticks, now));
        set_shared(frame->slow_start, std::min(frame->slow_start + ticks, now));
    }
}

// The graft of the path from which a fiber was started; open while the fiber runs, below the code
// that resumed the fiber.
static void open_graft(ThreadState& state, const StackSegment& fiber, std::uint64_t now) {
    Node* origin = fiber.frames[0].node;
    if (origin->kind == NodeKind::graft)
        origin = reinterpret_cast<Node*>(origin->key);
    if (state.top->start == frame_overflow ||
        (state.top >= state.frames_end && !grow_segment(state)))
        return;
    auto key = reinterpret_cast<std::uintptr_t>(origin);
    Frame* top = state.top;
    if (const Node* node =
            open_frame(state, top + 1, {key, NodeKind::graft, 0, 0, top->stack}, now)) {
        state.top = top + 1;
        note_enter(state, node, now);
    }
}

static bool is_graft(const Frame& frame) {
    return !is_base(frame) && frame.node->kind == NodeKind::graft;
}

void switch_segment(ThreadState& state, StackSegment* segment, std::uint64_t now) {
    StackSegment* left = state.segment;
    if (left == segment)
        return;
    left->top = state.top;
    bool is_resumer = false;
    for (StackSegment* below = left->interrupted; below; below = below->interrupted)
        is_resumer |= below == segment;
    auto make_current = [&](StackSegment* current) {
        state.segment = current;
        state.frames_end = current->frames + current->capacity - 1;
        state.top = current->top;
    };
    if (is_resumer) {
        // Back to a stack from which this one was entered: this one, and those in between, are
        // suspended from now on.
        while (state.segment != segment) {
            StackSegment* still = state.segment;
            if (!is_base(*state.top)) {
                if (counter_calls)
                    counter_calls->suspended(state, *still, now);
                still->suspended_at = now;
            }
            still->top = state.top;
            StackSegment* resumer = still->interrupted;
            still->interrupted = nullptr;
            make_current(resumer);
            if (!still->of_signals && is_graft(*state.top))
                pop_frame(state, now, false);
        }
        note_region_of(state, current_node(state));
        return;
    }
    bool starts = is_base(*segment->top);
    if (segment->of_signals) {
        if (starts)
            segment->frames[0].node = current_node(state);
    } else {
        if (starts)
            segment->frames[0].node = current_node(state);
        open_graft(state, *segment, now);
        if (starts && is_graft(*state.top))
            segment->frames[0].node = state.top->node;
        left->top = state.top;
    }
    segment->interrupted = left;
    make_current(segment);
    if (segment->suspended_at) {
        std::uint64_t still = now - segment->suspended_at;
        segment->suspended_at = 0;
        move_starts(*segment, state.top, still, now);
        if (counter_calls)
            counter_calls->resumed(state, *segment, now);
    }
    note_region_of(state, current_node(state));
}

void leave_empty_segment(ThreadState& state, std::uint64_t now) {
    StackSegment* interrupted = state.segment->interrupted;
    if (!interrupted)
        return;
    for (const Frame* frame = state.top; !is_base(*frame); frame--)
        if (!row_of(frame->node->kind).is(kind_is_marked) && !runs_task(*frame->node))
            return;
    while (!is_base(*state.top))
        pop_frame(state, now, false);
    switch_segment(state, interrupted, now);
}

}  // namespace vftrace
