// Profiles of programs that were not compiled for it.
#include "sampling/sampling.hpp"

#include <cerrno>

#include "base/arena.hpp"
#include "base/clock.hpp"
#include "sampling/sampled_paths.hpp"
#include "sampling/signal_mask.hpp"
#include "sampling/unwinder.hpp"
#include "tree/frames.hpp"
#include "tree/openmp_constructs.hpp"
#include "tree/paths.hpp"
#include "tree/pause.hpp"
#include "tree/push_frame.hpp"
#include "tree/registry.hpp"
#include "tree/sampling_calls.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {

const SamplingCalls* sampling_calls;

namespace {

struct ThreadSamples {
    Unwinder unwinder;
    SampleTimer timer;
    OwnStack stack;
};
// Of the calling thread; nullptr: it is not sampled.
__attribute__((tls_model("initial-exec"))) thread_local ThreadSamples* own_samples;

std::uint64_t period_ns;

// In ticks of the tree's clock. The rate of the processor's counter is only known by comparing it
// with the other clock since the run began, better and better.
std::uint64_t ticks_of(std::uint64_t ns) {
    if (!tree_settings.processor_ticks)
        return ns;
    const ClockReading& start = process_record->start;
    const std::uint64_t passed_ns = monotonic_ns() - start.ns;
    if (passed_ns == 0)
        return 0;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(ns) *
                                      (processor_ticks() - start.ticks) / passed_ns);
}

// Time in these is taken by the clock, waiting or not.
bool is_timed_as_a_whole(const Node& node) {
    if (node.kind == NodeKind::mpi || node.kind == NodeKind::gpu)
        return true;
    return node.kind == NodeKind::openmp && openmp_constructs[openmp_construct(node.key)].waits;
}

void lose_sample() {
    if (ThreadState* state = own_thread_state; state && state->record)
        add_relaxed(state->record->lost_samples, 1);
}

void book_sample(ThreadState& state, ThreadSamples& own, const Registers& registers,
                 std::uint64_t periods) {
    const OpenAround around = open_around(state, registers.stack());
    if (is_timed_as_a_whole(*around.node))
        return;
    const std::size_t count = own.unwinder.walk(registers, own.stack);
    Node* node = node_of_path(state, around, own.unwinder, count);
    add_relaxed(state.record->samples, periods);
    // The own time of a region or construct is what is left of the clock's.
    if (node->kind != NodeKind::function)
        return;
    __atomic_store_n(&node->timed_calls, node->timed_calls + static_cast<std::uint32_t>(periods),
                     __ATOMIC_RELAXED);
    add_relaxed(node->weighted_ticks, ticks_of(periods * period_ns));
}

void open_callers(ThreadState& state) {
    ThreadSamples* own = own_samples;
    if (!own || state.top->start == frame_overflow)
        return;
    const Registers registers = current_registers();
    const OpenAround around = open_around(state, registers.stack());
    if (is_timed_as_a_whole(*around.node))
        return;
    const std::size_t count = own->unwinder.walk(registers, own->stack);
    const Node* node = node_of_path(state, around, own->unwinder, count);
    if (node == around.node || (state.top >= state.frames_end && !grow_segment(state)))
        return;
    Frame* frame = state.top + 1;
    set_shared(frame->slow_start, std::uint64_t{0});
    set_shared(frame->start, std::uint64_t{frame_callers});
    set_place(frame, const_cast<Node*>(node), own->unwinder[0].stack);
    state.top = frame;
}

void begin_thread() {
    if (own_samples)
        return;
    const int saved_errno = errno;
    auto own = static_cast<ThreadSamples*>(map_memory(sizeof(ThreadSamples)));
    if (own) {
        own->stack.first_function = thread_start.first_function;
        if (own->stack.first_function)
            own->stack.low = is_main_thread() ? own_stack().low : thread_start.stack.low;
        own_samples = own;
        recording_thread_state();  // here, where it may take memory, rather than in the handler
        allow_sampling_signal();
        own->timer.start(period_ns);
    }
    errno = saved_errno;
}

void end_thread() {
    const int saved_errno = errno;
    if (ThreadSamples* own = own_samples) {
        own->timer.stop();
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        own_samples = nullptr;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        unmap_memory(own, sizeof *own);
    }
    errno = saved_errno;
}

void forget_code() { __atomic_add_fetch(&unwind_generation, 1, __ATOMIC_RELEASE); }

constexpr SamplingCalls calls = {.open_callers = open_callers,
                                 .thread_begins = begin_thread,
                                 .thread_ends = end_thread,
                                 .forget_code = forget_code};

}  // namespace

bool sampling_is_possible() {
#if defined(__x86_64__)
    return sampling_signal != 0;
#else
    return false;
#endif
}

SampleClock start_sampling(double frequency) {
    constexpr double second = 1e9;
    period_ns = static_cast<std::uint64_t>(second / frequency);
    SampleTimer probe;
    const SampleClock clock = probe.start(second);
    const int error = errno;
    probe.stop();
    errno = error;
    if (clock != SampleClock::none)
        sampling_calls = &calls;
    return clock;
}

void restart_thread_samples() {
    if (ThreadSamples* own = own_samples) {
        own->timer = {};
        own->timer.start(period_ns);
    }
}

bool on_sampling_signal(const siginfo_t& information, const void* context) {
    if (!SampleTimer::sent(information))
        return false;
    ThreadSamples* own = own_samples;
    ThreadState* state = thread_state;
    if (!own || shared(state->ignore_events))
        return true;
    const Registers registers = interrupted_registers(context);
    // Our own work on the tree must not be disturbed, and is no time of the program's.
    if (state == &busy_thread_state || own->unwinder.is_ours(registers.pc())) {
        lose_sample();
        return true;
    }
    if (!state->segment)
        state = recording_thread_state();
    if (!state)
        return true;
    SlowPath guard(*state, registers.stack());
    catch_up_with_pauses(*state, 0, registers.stack());
    book_sample(*state, *own, registers, SampleTimer::periods(information));
    return true;
}

}  // namespace vftrace
