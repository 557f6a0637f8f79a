#include "waiting/thread_switches.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/relaxed.hpp"
#include "guest/bounded_lock.hpp"
#include "guest/valgrind.hpp"
#include "record/open_calls.hpp"
#include "record/wait_kinds.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/side_tables.hpp"
#include "tree/upcalls.hpp"
#include "unwind/event_ring.hpp"
#include "waiting/blocked_threads.hpp"

namespace vftrace {

const SwitchCalls* switch_calls;

// Of a PERF_RECORD_SWITCH: header and time.
constexpr std::uint16_t record_bytes = 16;
constexpr std::uint16_t preempted = 1 << 14;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT

enum class Out : std::uint8_t { no, waits, displaced };

// Of one thread, in its arena. A child of fork does not have the rings, and does not find this.
struct ThreadSwitches {
    EventRing ring;  // none: the thread is not watched (any longer)
    ThreadState* state;
    std::int32_t tid;
    Out out;                     // since out_ns, unless a record that has not been read says more
    std::uint64_t out_ns;        // CLOCK_MONOTONIC
    std::uint64_t begun_ns;      // when watching began
    std::uint64_t begun_cpu_ns;  // the thread's processor time then
    std::uint64_t earlier_ns;    // of other threads that had the same state
    std::uint64_t earlier_cpu_ns;
    std::uint64_t records;
    SeenWait seen;
    WaitCall call;  // that the thread is in, or has just been in
    ThreadSwitches* next;
};

namespace {

struct PathFigures {
    std::uint64_t time[wait_kinds], waits[wait_kinds];
    std::uint64_t longest, preempted, preemptions;
};
constexpr SideFigures<PathFigures> path_figures = [] {
    SideFigures<PathFigures> made{};
    SideColumn* column = made.columns.data();
    for (const MetricId metric : {MetricId::waiting_time, MetricId::waiting_waits})
        for (std::uint16_t kind = 1; kind <= wait_kinds; kind++)
            *column++ = {metric, kind};
    for (const MetricId metric :
         {MetricId::waiting_longest, MetricId::waiting_preempted, MetricId::waiting_preemptions})
        *column++ = {metric};
    return made;
}();

struct ThreadFigures {
    std::uint64_t watched, running, waited, displaced, reports_lost;
};
constexpr SideFigures<ThreadFigures> thread_figures{{{{MetricId::waiting_watched},
                                                      {MetricId::waiting_running},
                                                      {MetricId::waiting_waited},
                                                      {MetricId::waiting_displaced},
                                                      {MetricId::waiting_reports_lost}}}};

Watching watching;
int failure;  // errno of the latest attempt
// Held while the list is read by another thread than that of a ring, and while rings are unmapped.
BoundedLock lock;
ThreadSwitches* all_switches;
std::uint64_t rings, rings_opened, first_opened_ns;

// From now on, the thread never has_switched().
void stop_comparing(ThreadState& state) {
    const std::uint64_t* const itself = &state.switches_read;
    set_shared(state.switches_written, itself);
}

std::uint64_t processor_ns_of(std::int32_t tid) {
    // The clock of a thread of this process (Linux, include/linux/posix-timers_types.h:
    // CPUCLOCK_PERTHREAD | CPUCLOCK_SCHED).
    constexpr clockid_t thread_clock = 6;
    const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(tid) << 3 |
                                              static_cast<unsigned>(thread_clock));
    timespec time{};
    return syscall(SYS_clock_gettime, clock, &time) == 0
               ? static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
                     static_cast<std::uint64_t>(time.tv_nsec)
               : 0;
}

EventRing open_ring() {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_DUMMY;
    attributes.sample_type = PERF_SAMPLE_TIME;
    attributes.sample_id_all = 1;
    attributes.context_switch = 1;
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    // No thread waits for records, so none needs to be woken.
    attributes.watermark = 1;
    attributes.wakeup_watermark = ~std::uint32_t{0} >> 1;
    constexpr int this_thread = 0, any_processor = -1, no_group = -1;
    const auto file = static_cast<int>(syscall(SYS_perf_event_open, &attributes, this_thread,
                                               any_processor, no_group, PERF_FLAG_FD_CLOEXEC));
    if (file < 0) {
        set_shared(failure, errno);
        return {};
    }
    constexpr std::size_t pages = 1;  // 256 records
    const EventRing ring = EventRing::map(file, pages);
    set_shared(failure, ring ? 0 : errno);
    syscall(SYS_close, file);  // the mapping keeps the event alive
    return ring;
}

// A program may create threads all the time, and a ring takes about 15 us; or very many at once,
// and a ring takes a mapping and locked memory.
bool is_affordable() {
    constexpr std::uint64_t always = 64, cost_ns = 15'000, part = 200, most_cheap = 64, most = 4096;
    if (relaxed(rings) >= (watching == Watching::always ? most : most_cheap))
        return false;
    const std::uint64_t opened = __atomic_add_fetch(&rings_opened, 1, __ATOMIC_RELAXED);
    const std::uint64_t now = monotonic_ns();
    if (opened == 1)
        set_shared(first_opened_ns, now);
    return watching == Watching::always || opened <= always ||
           (opened - always) * cost_ns * part < now - relaxed(first_opened_ns);
}

WaitKind kind_of_node(const Node& node) {
    switch (node.kind) {
    case NodeKind::mpi:
        return WaitKind::mpi;
    case NodeKind::openmp:
        return WaitKind::openmp;
    case NodeKind::gpu:
        return WaitKind::gpu;
    default:
        return WaitKind::not_seen;
    }
}

// A thread was not on a processor.
struct Absence {
    Out why;
    std::uint64_t from_ns, to_ns;
};
void book_time(const Absence& absence, PathFigures* path, ThreadFigures* thread, WaitKind kind) {
    const std::uint64_t ns = absence.to_ns > absence.from_ns ? absence.to_ns - absence.from_ns : 0;
    const bool waited = absence.why == Out::waits;
    if (thread)
        add_relaxed(waited ? thread->waited : thread->displaced, ns);
    if (!path)
        return;
    if (!waited) {
        add_relaxed(path->preempted, ns);
        add_relaxed(path->preemptions, 1);
        return;
    }
    const std::size_t place = static_cast<std::size_t>(kind) - 1;
    add_relaxed(path->time[place], ns);
    add_relaxed(path->waits[place], 1);
    if (ns > path->longest)
        set_shared(path->longest, ns);
}

void read_records(ThreadSwitches& own, PathFigures* path, ThreadFigures* thread, WaitKind usual) {
    constexpr std::uint64_t word = sizeof(std::uint64_t);
    const std::uint64_t end = own.ring.look([&](const EventRecord& record) {
        own.records++;
        if (record.type == PERF_RECORD_LOST) {
            own.out = Out::no;
            if (thread)
                add_relaxed(thread->reports_lost, record.body.word(word));
            return;
        }
        if (record.type != PERF_RECORD_SWITCH)
            return;
        const std::uint64_t time = record.body.word(0);
        if (record.flags & PERF_RECORD_MISC_SWITCH_OUT) {
            own.out = record.flags & preempted ? Out::displaced : Out::waits;
            own.out_ns = time;
        } else if (own.out != Out::no) {
            const WaitKind kind =
                usual == WaitKind::not_seen ? own.seen.kind_of_wait(own.out_ns) : usual;
            book_time({own.out, own.out_ns, time}, path, thread, kind);
            own.out = Out::no;
        }
    });
    own.ring.release(end);
    set_shared(own.state->switches_read, end);
}

void note_age(ThreadSwitches& own, ThreadFigures& figures, std::uint64_t now) {
    const std::uint64_t cpu = processor_ns_of(own.tid);
    set_shared(figures.watched, own.earlier_ns + (now - own.begun_ns));
    if (cpu >= own.begun_cpu_ns)
        set_shared(figures.running, own.earlier_cpu_ns + (cpu - own.begun_cpu_ns));
}

// The thread's row, if it exists already. May be called by other threads.
ThreadFigures* row_of(const ThreadSwitches& own) {
    SideTable* found = nullptr;
    visit_side_tables(*own.state->record, [&](const SideTable& table) {
        if (source_of(table) == SourceId::waiting && scope_of(table) == MetricScope::thread)
            found = const_cast<SideTable*>(&table);
    });
    SideRow* row = found ? __atomic_load_n(&found->first, __ATOMIC_ACQUIRE) : nullptr;
    return row ? reinterpret_cast<ThreadFigures*>(row->values()) : nullptr;
}

void stop_watching(ThreadSwitches& own) {
    ThreadState& state = *own.state;
    const bool locked = lock.lock();
    stop_comparing(state);
    if (ThreadFigures* figures = row_of(own))
        note_age(own, *figures, monotonic_ns());
    own.out = Out::no;
    __atomic_sub_fetch(&rings, 1, __ATOMIC_RELAXED);
    if (locked) {
        own.ring.unmap();
        lock.unlock();
    } else {
        own.ring = {};  // a ring that is left does no harm
    }
}

// About what the kernel and we need for a record.
bool costs_too_much(const ThreadSwitches& own) {
    constexpr std::uint64_t cost_ns = 1250, part = 200, free_records = 20'000;
    return watching == Watching::cheap && own.records > free_records &&
           (own.records - free_records) * cost_ns * part > monotonic_ns() - own.begun_ns;
}

// Whether recording was paused since the thread's last event.
bool was_paused(const ThreadState& state) {
    return process_record && __atomic_load_n(&process_record->paused_ticks, __ATOMIC_ACQUIRE) !=
                                 state.record->paused_ticks;
}

// The call of a thread; another one may look at it.
WaitCall call_of(const ThreadSwitches& own) {
    return {relaxed(own.call.kind), relaxed(own.call.file), relaxed(own.call.stack)};
}
void set_call(ThreadSwitches& own, const WaitCall& call) {
    set_shared(own.call.kind, call.kind);
    set_shared(own.call.file, call.file);
    set_shared(own.call.stack, call.stack);
}

// Whether the thread is still in the call. A signal handler may have left it by a jump.
bool is_in_call(const ThreadState& state, const ThreadSwitches& own) {
    return own.call.stack != 0 && state.slow_path_stack <= own.call.stack;
}

// In a sampled program, what is open in a call that may wait was open when it began; otherwise only
// what has a frame is known to have been open all the time.
const Node& place_of(ThreadState& state, bool in_call) {
    return sampling_calls && in_call ? *sampling_calls->path_here(state) : *state.top->node;
}

WaitKind kind_of(const WaitCall& call) {
    const auto kind = static_cast<WaitKind>(call.kind);
    return kind == WaitKind::not_seen && call.file >= 0 ? kind_of_descriptor(call.file) : kind;
}

void book(ThreadState& state) {
    ThreadSwitches& own = *state.switches;
    const int saved_errno = errno;
    const bool in_call = is_in_call(state, own);
    const Node& node = place_of(state, in_call);
    const bool recorded =
        !plain_read(state.ignore_events) && state.top->start != frame_paused && !was_paused(state);
    if (!recorded) {
        own.ring.skip_all();
        own.out = Out::no;
        set_shared(state.switches_read, relaxed(*state.switches_written));
    } else {
        WaitKind usual = kind_of_node(node);
        if (usual == WaitKind::not_seen && in_call)
            usual = kind_of(own.call);
        read_records(own, path_figures.of(state, &node), thread_figures.of(state, nullptr), usual);
        if (costs_too_much(own))
            stop_watching(own);
    }
    errno = saved_errno;
}

constexpr SwitchCalls calls = {.book = book};

}  // namespace

void allow_watching(Watching how) {
    watching = runs_in_valgrind() ? Watching::off : how;
    all_switches = nullptr;
    lock = {};
    rings = rings_opened = 0;
    switch_calls = &calls;
}

void begin_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call) {
    if (has_switched(state)) [[unlikely]]
        book_switches(state, call.stack);
    set_call(own, call);
}

void end_wait_call(ThreadState& state, ThreadSwitches& own, const WaitCall& call) {
    set_call(own, call);  // a signal handler may have made others
    if (has_switched(state)) [[unlikely]]
        book_switches(state, call.stack);
    set_shared(own.call.stack, std::uintptr_t{0});
}

void watch_switches(ThreadState& state) {
    if (watching == Watching::off || !is_affordable())
        return;
    const int saved_errno = errno;
    ThreadSwitches* own = state.switches;
    if (!own)
        own = static_cast<ThreadSwitches*>(state.arena.allocate(sizeof *own));
    ThreadFigures* const figures = thread_figures.of(state, nullptr);
    EventRing ring = own && figures ? open_ring() : EventRing();
    if (ring) {
        own->state = &state;
        own->tid = state.record->tid;
        own->out = Out::no;
        own->records = 0;
        own->seen = {};
        set_call(*own, {});
        own->earlier_ns = figures->watched;
        own->earlier_cpu_ns = figures->running;
        own->begun_cpu_ns = processor_ns_of(own->tid);
        own->begun_ns = monotonic_ns();
        const bool locked = lock.lock();
        own->ring = ring;
        __atomic_add_fetch(&rings, 1, __ATOMIC_RELAXED);
        if (locked && !state.switches) {
            own->next = all_switches;
            __atomic_store_n(&all_switches, own, __ATOMIC_RELEASE);
        }
        if (locked)
            lock.unlock();
        state.switches = own;
        set_shared(state.switches_written, ring.written());
        set_shared(state.switches_read, std::uint64_t{0});
    }
    errno = saved_errno;
}

void end_watching(ThreadState& state) {
    if (!state.switches || !state.switches->ring)
        return;
    const int saved_errno = errno;
    if (has_switched(state))
        book(state);
    if (state.switches->ring)
        stop_watching(*state.switches);
    errno = saved_errno;
}

void skip_switches(ThreadState& state) {
    if (!state.switches || !state.switches->ring)
        return;
    state.switches->ring.skip_all();
    state.switches->out = Out::no;
    set_shared(state.switches_read, relaxed(*state.switches_written));
}

// A wait is looked at once, because a thread does nothing else meanwhile.
static void look_at_wait(ThreadSwitches& own, std::uint64_t now) {
    constexpr std::uint64_t least_ns = 500'000;
    const std::uint64_t written = __atomic_load_n(own.ring.written(), __ATOMIC_ACQUIRE);
    const EventRecord record = own.ring.latest(record_bytes);
    if (record.type != PERF_RECORD_SWITCH || !(record.flags & PERF_RECORD_MISC_SWITCH_OUT) ||
        record.flags & preempted)
        return;
    const std::uint64_t out_ns = record.body.word(0);
    if (out_ns + least_ns > now || own.seen.out_ns == out_ns)
        return;
    const WaitKind kind = kind_of_wait(own.tid);
    if (__atomic_load_n(own.ring.written(), __ATOMIC_ACQUIRE) == written)
        own.seen.note(out_ns, kind);
}

void look_at_waiting_threads() {
    if (!lock.lock())
        return;
    const std::uint64_t now = monotonic_ns();
    for (ThreadSwitches* own = all_switches; own; own = own->next)
        if (own->ring)
            look_at_wait(*own, now);
    lock.unlock();
}

void update_watched_threads() {
    if (!lock.lock())
        return;
    const std::uint64_t now = monotonic_ns();
    for (ThreadSwitches* own = all_switches; own; own = own->next)
        if (ThreadFigures* figures = own->ring ? row_of(*own) : nullptr)
            note_age(*own, *figures, now);
    lock.unlock();
}

// The innermost function that is open on a thread, which may continue.
static const Node& innermost_node(const ThreadRecord& record) {
    const Node* innermost = record.root;
    for (const StackSegment* segment = record.segments; segment; segment = segment->next)
        if (!relaxed(segment->suspended_at))
            visit_open_calls(*segment, {},
                             [&](const Frame&, const Node& node, const Node*, const OpenCalls&) {
                                 innermost = &node;
                             });
    return *innermost;
}

// A row for a path of another thread, in a table of its own, because only that thread may change
// its tables. nullptr without memory.
static PathFigures* row_for_other_thread(ThreadRecord& record, const Node& node) {
    SideTable* const table = make_process_values(path_figures.columns);
    if (!table)
        return nullptr;
    table->first->node = &node;
    table->next = __atomic_load_n(&record.side_tables, __ATOMIC_ACQUIRE);
    __atomic_store_n(&record.side_tables, table, __ATOMIC_RELEASE);
    return reinterpret_cast<PathFigures*>(table->first->values());
}

// Another thread: of what it has not booked itself, the latest is known, if it lasts.
static void finish_other(ThreadSwitches& own, ThreadFigures* figures, std::uint64_t now) {
    constexpr std::uint64_t least_ns = 100'000;  // else it is not worth a row
    const EventRecord record = own.ring.latest(record_bytes);
    if (record.type != PERF_RECORD_SWITCH || !(record.flags & PERF_RECORD_MISC_SWITCH_OUT))
        return;
    const std::uint64_t out_ns = record.body.word(0);
    if (out_ns + least_ns > now)
        return;
    const Node& node = innermost_node(*own.state->record);
    WaitKind usual = kind_of_node(node);
    if (const WaitCall call = call_of(own); usual == WaitKind::not_seen && call.stack != 0)
        usual = kind_of(call);
    if (usual == WaitKind::not_seen)
        usual = own.seen.kind_of_wait(out_ns);
    const Out out = record.flags & preempted ? Out::displaced : Out::waits;
    book_time({out, out_ns, now}, row_for_other_thread(*own.state->record, node), figures, usual);
}

void finish_watching(ThreadState* own_state) {
    if (own_state)
        end_watching(*own_state);
    const std::uint64_t now = monotonic_ns();
    if (!lock.lock())
        return;
    for (ThreadSwitches* own = all_switches; own; own = own->next) {
        if (!own->ring)
            continue;
        ThreadFigures* const figures = row_of(*own);
        finish_other(*own, figures, now);
        if (figures)
            note_age(*own, *figures, now);
        stop_comparing(*own->state);
        own->ring.replace_by_zeros();
    }
    lock.unlock();
}

int why_not_watched() { return watching == Watching::off ? 0 : relaxed(failure); }

}  // namespace vftrace
