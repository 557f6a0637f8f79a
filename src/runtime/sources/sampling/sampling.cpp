#include "sampling/sampling.hpp"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/relaxed.hpp"
#include "guest/all_signals.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/piece_pool.hpp"
#include "guest/seccomp.hpp"
#include "sampling/beside_hooks.hpp"
#include "sampling/fault_samples.hpp"
#include "sampling/processor_waits.hpp"
#include "sampling/sample_booking.hpp"
#include "sampling/sampled_paths.hpp"
#include "sampling/signal_mask.hpp"
#include "tree/callees.hpp"
#include "tree/event_buffer.hpp"
#include "tree/frames.hpp"
#include "tree/pause.hpp"
#include "tree/push_frame.hpp"
#include "tree/registry.hpp"
#include "tree/sampled_addresses.hpp"
#include "tree/slow_path.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

const SamplingCalls* sampling_calls;
const SampledThreads* sampled_threads;

namespace {

// The purpose of the samples.
enum class Samples { instead_of_hooks, beside_hooks };
Samples samples_are;
SampleClock wanted_clock = SampleClock::user_code;

struct ThreadSamples {
    PathFinder finder;
    SampleTimer timer;
    KernelSamples kernel;
    FaultSamples faults;                  // if TouchCalls wants them
    const Registers* interrupted;         // in the handler; else nullptr
    ThreadRecord* record;                 // that the latest sample went to; nullptr: none
    ProcessorWaits waits_before;          // that are booked, or came before this process recorded
    int thread;                           // the kernel's number
    bool in_use;                          // by the handler
    ThreadSamples *next, **link_to_this;  // in `all_samples`
};
constexpr std::size_t largest_page = 64 * 1024;
constexpr std::size_t pages_of_samples =
    (sizeof(ThreadSamples) + largest_page - 1) / largest_page * largest_page;
PiecePool pool_of_samples;
// Of the calling thread; nullptr: it is not sampled.
__attribute__((tls_model("initial-exec"))) thread_local ThreadSamples* own_samples;

std::uint64_t period_ns;

// A thread changes the timers of others under the lock, with all signals blocked: a handler that
// ends the process must not find the lock held by the thread that it interrupts.
BoundedLock lock;
ThreadSamples* all_samples;
bool sampling_now;            // timers are to run
bool kernel_is_sampled;       // if the system allows it
long sampled_process;         // that the timers belong to
std::size_t bytes_on_stacks;  // that the handler needs on the threads' own stacks; 0: none

// False in a child of vfork(), which shares our memory.
bool process_is_sampled() { return sampled_process == syscall(SYS_getpid); }

bool fits_on_stack(const ThreadSamples& samples) {
    constexpr std::size_t small_part = 8;
    const std::uintptr_t size = samples.finder.stack.first_function - samples.finder.stack.low;
    return samples.finder.stack.low == 0 || size >= small_part * bytes_on_stacks;
}

void start_timer(ThreadSamples& samples) {
    if (!sampling_now || !fits_on_stack(samples))
        return;
    // The other clock also counts the kernel's work.
    if (samples.timer.start(samples.thread, period_ns, wanted_clock) == SampleClock::user_code &&
        samples_are == Samples::instead_of_hooks)
        samples.kernel.start(samples.thread, period_ns);
}

// Adds new waits to the thread's record if samples are combined with the clock, which includes
// them.
void book_processor_waits(ThreadSamples& samples) {
    if (!samples.record || samples_are != Samples::beside_hooks || seccomp_filter_was_added())
        return;
    const ProcessorWaits waits = processor_waits(samples.thread);
    ProcessorWaits& before = samples.waits_before;
    if (waits.count <= before.count || waits.ns <= before.ns)
        return;
    add_relaxed(samples.record->interrupted_ticks, ticks_of(waits.ns - before.ns));
    add_relaxed(samples.record->interruptions, waits.count - before.count);
    before = waits;
}

void stop_timer(ThreadSamples& samples) {
    samples.timer.stop();
    samples.kernel.stop();
}

// Calls visit(samples) for all threads. Returns false if that is not possible.
template <class Visitor>
bool for_each_thread(Visitor visit) {
    if (!lock.lock())
        return false;
    for (ThreadSamples* samples = all_samples; samples; samples = samples->next)
        visit(*samples);
    lock.unlock();
    return true;
}

void insert(ThreadSamples& samples) {
    samples.next = all_samples;
    samples.link_to_this = &all_samples;
    if (all_samples)
        all_samples->link_to_this = &samples.next;
    all_samples = &samples;
}

void remove(ThreadSamples& samples) {
    *samples.link_to_this = samples.next;
    if (samples.next)
        samples.next->link_to_this = samples.link_to_this;
}

void lose_sample(SampleWeight weight) {
    if (ThreadState* state = own_thread_state; state && state->record)
        add_relaxed(state->record->lost_samples, weight.periods);
}

void take_touches(ThreadState& state) {
    if (touch_calls && own_samples)
        own_samples->faults.take(
            [&](const PageTouch& touch) { touch_calls->touched(state, touch); });
}

// What the thread did and is about to do with memory. In its slow path.
void note_memory(ThreadState& state, const Registers& registers, SampleWeight weight) {
    take_touches(state);
    if (touch_calls && weight.periods > 0)
        touch_calls->used(state, registers, weight.periods);
}

// For threads with a shadow stack: without one, a thread has not run any hooks yet.
void book_beside_hooks(ThreadState& state, ThreadSamples& own, const Registers& registers,
                       SampleWeight weight) {
    SlowPath guard(state, registers.stack());
    catch_up_with_pauses(state, 0, registers.stack());
    note_memory(state, registers, weight);
    Node* node = node_beside_hooks(state, own.finder.unwinder, registers, own.finder.stack);
    if (node && is_at_prologue_hook(*node, registers.pc()))
        return add_relaxed(state.record->lost_samples, weight.periods);
    if (!node || is_timed_as_a_whole(*node))
        return add_relaxed(state.record->other_samples, weight.periods);
    add_relaxed(state.record->samples, weight.periods);
    const std::uint64_t ticks = ticks_of(weight.periods * period_ns);
    count_samples(state, *node, weight.periods, ticks);
    note_address(state, *node, registers.pc(), weight.periods, ticks);
    // No event shows that the thread is in this function, unless its hooks could not be removed.
    if (state.trace && node != state.top->node && node->kind == NodeKind::function &&
        overhead_calls && overhead_calls->is_removed(node->key)) {
        const std::uint64_t now = tree_ticks();
        trace_record(state, RecordKind::sampled, node->number, 0, &now, sizeof now);
    }
}

void take_sample(ThreadSamples& own, const Registers& registers, SampleWeight weight) {
    ThreadState* state = thread_state;
    if (plain_read(state->ignore_events)) {
        if (own_thread_state && own_thread_state->record)  // in a pause
            add_relaxed(own_thread_state->record->other_samples, weight.periods);
        return own.kernel.skip();
    }
    // Our own work on the tree must not be disturbed, and is not part of the program's time.
    if (state == &busy_thread_state || own.finder.unwinder.is_ours(registers.pc()))
        return lose_sample(weight);
    if (samples_are == Samples::beside_hooks) {
        own.record = state->record;
        if (state->segment && !weight.page_faults)
            book_beside_hooks(*state, own, registers, weight);
        return;
    }
    if (!state->segment)
        state = recording_state_slowly();
    if (!state)
        return;
    own.interrupted = &registers;
    SlowPath guard(*state, registers.stack());
    own.interrupted = nullptr;
    catch_up_with_pauses(*state, 0, registers.stack());
    note_memory(*state, registers, weight);
    book_sample(*state, own.finder, registers, weight, period_ns);
}

void slow_path_begins(ThreadState& state) {
    if (ThreadSamples* own = own_samples; own && &state == own_thread_state)
        book_kernel_samples(state, own->finder, own->kernel, own->interrupted);
}

void slow_path_ends() {
    if (ThreadSamples* own = own_samples)
        own->kernel.skip();
}

// Books the kernel's work for the calling thread so far, because its timer is about to stop, and
// what it has touched.
void book_last_samples_of_kernel() {
    ThreadState* state = thread_state;
    if (own_samples && state == own_thread_state && state->segment &&
        !plain_read(state->ignore_events)) {
        const SlowPath guard(*state, current_registers().stack());
        take_touches(*state);
    }
}

// The node of the functions that are open below `around`, which is open around these registers.
const Node* path_below(ThreadState& state, PathFinder& finder, const OpenAround& around,
                       const Registers& registers) {
    if (is_timed_as_a_whole(*around.node))
        return around.node;
    const std::size_t count = finder.unwinder.walk(registers, finder.stack);
    return node_of_path(state, around, finder.unwinder, count);
}

const Node* path_here(ThreadState& state) {
    ThreadSamples* own = own_samples;
    if (!own || state.top->start == frame_overflow)
        return state.top->node;
    const Registers registers = current_registers();
    return path_below(state, own->finder, open_around(state, registers.stack()), registers);
}

void open_callers(ThreadState& state) {
    ThreadSamples* own = own_samples;
    if (!own || state.top->start == frame_overflow)
        return;
    const Registers registers = current_registers();
    const OpenAround around = open_around(state, registers.stack());
    const Node* const node = path_below(state, own->finder, around, registers);
    if (node == around.node || (state.top >= state.frames_end && !grow_segment(state)))
        return;
    Frame* frame = state.top + 1;
    set_shared(frame->slow_start, std::uint64_t{0});
    set_shared(frame->start, std::uint64_t{frame_callers});
    set_place(frame, const_cast<Node*>(node), own->finder.unwinder[0].stack);
    state.top = frame;
}

void begin_thread() {
    if (own_samples || seccomp_filter_was_noted())
        return;
    const int saved_errno = errno;
    auto own = static_cast<ThreadSamples*>(pool_of_samples.take(pages_of_samples));
    if (own) {
        own->finder.stack.first_function = thread_start.first_function;
        if (own->finder.stack.first_function)
            own->finder.stack.low = is_main_thread() ? own_stack().low : thread_start.stack.low;
        own->thread = static_cast<int>(syscall(SYS_gettid));
        if (is_main_thread())  // others have just begun
            own->waits_before = processor_waits(own->thread);
        own_samples = own;
        if (samples_are == Samples::instead_of_hooks)
            recording_state_slowly();  // here, where it may allocate memory, not in the handler
        if (touch_calls)
            own->faults.start();
        allow_sampling_signal();
        AllSignalsBlocked blocked;
        if (lock.lock()) {
            insert(*own);
            start_timer(*own);
            lock.unlock();
        }
    }
    errno = saved_errno;
}

void end_thread() {
    if (seccomp_filter_was_noted())
        return;
    const int saved_errno = errno;
    if (ThreadSamples* own = own_samples) {
        book_last_samples_of_kernel();
        AllSignalsBlocked blocked;
        own_samples = nullptr;
        if (own->link_to_this && lock.lock()) {
            book_processor_waits(*own);
            stop_timer(*own);
            own->faults.stop();
            remove(*own);
            lock.unlock();
            pool_of_samples.give_back(own, pages_of_samples);
        }
    }
    errno = saved_errno;
}

void forget_code() {
    __atomic_add_fetch(&unwind_generation, 1, __ATOMIC_RELEASE);
    forget_code_of_libunwind();
}

constexpr SamplingCalls calls = {.open_callers = open_callers,
                                 .path_here = path_here,
                                 .slow_path_begins = slow_path_begins,
                                 .slow_path_ends = slow_path_ends};
constexpr SampledThreads threads = {.thread_begins = begin_thread,
                                    .thread_ends = end_thread,
                                    .forget_code = forget_code,
                                    .take_touches = take_touches};

// Returns the clock that is available, and records that the process is sampled by it.
SampleClock start_timers(std::uint64_t period) {
    period_ns = period;
    SampleTimer probe;
    const SampleClock clock =
        probe.start(static_cast<int>(syscall(SYS_gettid)), 1'000'000'000, wanted_clock);
    const int error = errno;
    probe.stop();
    errno = error;
    if (clock != SampleClock::none) {
        if (touch_calls)
            allow_rings();
        sampled_threads = &threads;
        sampled_process = syscall(SYS_getpid);
        sampling_now = true;
    }
    return clock;
}

// Since Linux 5.10, timers of processor time send their signal when the thread returns to its own
// code, so that they do not cut system calls short.
bool timers_leave_system_calls_alone() {
    utsname system;
    int major = 0, minor = 0;
    return uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 10));
}

}  // namespace

bool own_unwinder_knows_processor() {
#if defined(__x86_64__)
    return true;
#else
    return false;
#endif
}

SampleClock start_sampling(double frequency, bool with_kernel) {
    constexpr double second = 1e9;
    const SampleClock clock = start_timers(static_cast<std::uint64_t>(second / frequency));
    if (clock != SampleClock::none) {
        sampling_calls = &calls;
        kernel_is_sampled = with_kernel;
        if (with_kernel)
            allow_kernel_samples();
    }
    return clock;
}

void sample_every(std::uint64_t period) { period_ns = period; }

SampleClock start_sampling_beside_hooks(std::uint64_t& period) {
    // One per tick of the kernel, which happens anyway, if it has 250 or fewer of them a second; or
    // events of perf, whose interrupts cost 20 to 30 us each.
    constexpr std::uint64_t tick_ns = 3'900'000, event_ns = 10'000'000;
    samples_are = Samples::beside_hooks;
    const bool by_ticks = timers_leave_system_calls_alone();
    wanted_clock = by_ticks ? SampleClock::thread_time : SampleClock::user_code;
    period = by_ticks ? tick_ns : event_ns;
    SampleClock clock = start_timers(period);
    if (clock == SampleClock::thread_time && !by_ticks) {
        sampling_now = false;
        sampled_threads = nullptr;
        clock = SampleClock::none;
    }
    return clock;
}

bool stop_sampling() {
    if (!process_is_sampled() || !__atomic_exchange_n(&sampling_now, false, __ATOMIC_SEQ_CST))
        return false;
    book_last_samples_of_kernel();
    AllSignalsBlocked blocked;
    if (!for_each_thread([](ThreadSamples& samples) {
            book_processor_waits(samples);
            stop_timer(samples);
        }))
        return false;
    // A thread may be stopped in the middle of the handler, by a debugger or because it has no
    // processor.
    for (int waited_ms = 0; waited_ms < 1000; waited_ms++) {
        bool any = false;
        if (!for_each_thread([&any](const ThreadSamples& samples) {
                any = any || __atomic_load_n(&samples.in_use, __ATOMIC_ACQUIRE);
            }) ||
            !any)
            break;
        timespec moment{0, 1'000'000};
        syscall(SYS_nanosleep, &moment, nullptr);
    }
    return true;
}

void resume_sampling() {
    AllSignalsBlocked blocked;
    __atomic_store_n(&sampling_now, true, __ATOMIC_SEQ_CST);
    for_each_thread(start_timer);
}

void sample_on_thread_stacks(std::size_t bytes) {
    AllSignalsBlocked blocked;
    __atomic_store_n(&bytes_on_stacks, bytes, __ATOMIC_SEQ_CST);
    if (process_is_sampled())
        for_each_thread([](ThreadSamples& samples) {
            if (!fits_on_stack(samples))
                stop_timer(samples);
        });
}

void restart_thread_samples() {
    AllSignalsBlocked blocked;
    lock = {};
    all_samples = nullptr;
    if (sampled_process)
        sampled_process = syscall(SYS_getpid);
    ThreadSamples* const own = own_samples;
    if (own) {
        own->timer = {};
        own->kernel = {};
        own->faults = {};
        own->record = nullptr;
        own->waits_before = {};
    }
    if (kernel_is_sampled)
        allow_kernel_samples();
    if (touch_calls)
        allow_rings();
    if (own) {
        if (touch_calls)
            own->faults.start();
        own->thread = static_cast<int>(syscall(SYS_gettid));
        insert(*own);
        start_timer(*own);
    }
}

bool on_sampling_signal(const siginfo_t& information, const void* context) {
    if (!SampleTimer::sent(information))
        return false;
    if (ThreadSamples* own = own_samples) {
        __atomic_store_n(&own->in_use, true, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&sampling_now, __ATOMIC_SEQ_CST))
            take_sample(*own, interrupted_registers(context), own->timer.weight(information));
        __atomic_store_n(&own->in_use, false, __ATOMIC_RELEASE);
    }
    return true;
}

}  // namespace vftrace
