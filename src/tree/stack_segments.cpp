// The stacks that a thread runs on: its own, a signal handler's, those the program makes itself.
#include "tree/stack_segments.hpp"

#include <algorithm>
#include <csignal>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tree/frames.hpp"

extern "C" void* __libc_stack_end;  // where the kernel put the main thread's stack

namespace vftrace {
namespace {

StackRange main_stack() {
    // Not pthread_getattr_np, which reads /proc/self/maps with stdio for this thread.
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
    stack_t stack;
    if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE))
        return {};
    auto low = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
    return address - low < stack.ss_size ? StackRange{low, low + stack.ss_size} : StackRange{};
}

// A stack that the program made itself (swapcontext, fibers): nobody tells where it ends. A piece
// around the address, short of what is known already.
StackRange unknown_stack(const ThreadState& state, std::uintptr_t address) {
    constexpr std::uintptr_t below = std::uintptr_t{1} << 20, above = std::uintptr_t{64} << 10;
    StackRange range{address - below, address + above};
    for (const StackSegment* segment = state.segments; segment; segment = segment->next) {
        if (segment->high < address)
            range.low = std::max(range.low, segment->high + 1);
        if (segment->low > address)
            range.high = std::min(range.high, segment->low - 1);
    }
    return range;
}

// Under `ulimit -v` reserved memory is memory that the program lacks.
bool address_space_is_limited() {
    rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

bool is_main_thread() { return getpid() == static_cast<pid_t>(syscall(SYS_gettid)); }

StackRange own_stack() { return is_main_thread() ? main_stack() : thread_stack(); }

StackSegment* make_segment(ThreadState& state, StackRange range, Node* base) {
    constexpr std::size_t inlined = 1024, most = std::size_t{1} << 24, least = 4096;
    std::size_t stack_per_frame = address_space_is_limited() ? 256 : 32;
    std::size_t capacity = std::min((range.high - range.low) / stack_per_frame + inlined, most);
    StackSegment* segment = state.segments;
    while (segment && (segment->high != 0 || segment->capacity < capacity))
        segment = segment->next;
    if (!segment) {
        segment = static_cast<StackSegment*>(state.arena.allocate(sizeof(StackSegment)));
        if (!segment)
            return nullptr;
        // A limit on address space makes it shallower; one without frames is never used.
        while (!(segment->frames = static_cast<Frame*>(map_memory((capacity + 1) * sizeof(Frame)))))
            if ((capacity /= 2) < least)
                return nullptr;
        segment->capacity = capacity;
        segment->next = state.segments;
        state.segments = segment;
    }
    segment->low = range.low;
    segment->high = range.high;
    segment->frames[0] = {base, frame_base, range.high, 0};
    segment->top = segment->frames;
    segment->interrupted = nullptr;
    return segment;
}

StackSegment* segment_of(ThreadState& state, std::uintptr_t address) {
    for (StackSegment* segment = state.segments; segment; segment = segment->next)
        if (address >= segment->low && address <= segment->high)
            return segment;
    // The main thread's stack may grow beyond what setrlimit() allowed at start.
    if (is_main_thread()) {
        StackRange now = main_stack();
        if (address >= now.low && address <= now.high) {
            state.own_segment->low = now.low;
            return state.own_segment;
        }
    }
    StackRange range = signal_stack(address);
    if (!range.high)
        range = unknown_stack(state, address);
    return make_segment(state, range, state.top->node);
}

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

void leave_empty_segment(ThreadState& state, std::uint64_t now) {
    StackSegment* interrupted = state.segment->interrupted;
    if (!interrupted)
        return;
    for (const Frame* frame = state.top; !is_base(*frame); frame--)
        if (frame->node->kind != NodeKind::region)
            return;
    while (!is_base(*state.top))
        pop_frame(state, now, false);
    switch_segment(state, interrupted);
}

}  // namespace vftrace
