#include "waiting/thread_switches.hpp"

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
#include "record/wait_kinds.hpp"
#include "tree/call_tree.hpp"
#include "tree/side_tables.hpp"
#include "tree/upcalls.hpp"
#include "unwind/event_ring.hpp"
#include "waiting/blocked_threads.hpp"
#include "waiting/wait_calls.hpp"
#include "waiting/wait_figures.hpp"
#include "waiting/watched_thread.hpp"

namespace vftrace {

const SwitchCalls* switch_calls;

// Of a PERF_RECORD_SWITCH: header and time.
constexpr std::uint16_t record_bytes = 16;
constexpr std::uint16_t preempted = 1 << 14;  // PERF_RECORD_MISC_SWITCH_OUT_PREEMPT

namespace {

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

EventRing open_ring() {
    perf_event_attr attributes{};
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_DUMMY;
    attributes.sample_type = PERF_SAMPLE_TIME;
    attributes.sample_id_all = 1;
    attributes.context_switch = 1;
    attributes.exclude_kernel = 1;
    attributes.use_clockid = 1;
    attributes.clockid = CLOCK_MONOTONIC;
    constexpr std::size_t pages = 1;  // 256 records
    const EventRing ring = EventRing::open(attributes, 0, pages);
    set_shared(failure, ring ? 0 : errno);
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

void read_records(ThreadSwitches& own, PathWaitFigures* path, WaitKind usual) {
    constexpr std::uint64_t word = sizeof(std::uint64_t);
    const std::uint64_t end = own.ring.look([&](const EventRecord& record) {
        own.records++;
        if (record.type == PERF_RECORD_LOST) {
            own.out = Out::no;
            add_relaxed(own.figures->reports_lost, record.body.word(word));
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
            book_absence({own.out, own.out_ns, time}, path, *own.figures, kind);
            own.out = Out::no;
        }
    });
    own.ring.release(end);
    set_shared(own.state->switches_read, end);
}

void note_age(ThreadSwitches& own, std::uint64_t now) {
    ThreadWaitFigures& figures = *own.figures;
    const std::uint64_t cpu = processor_ns_of(own.tid);
    set_shared(figures.watched, own.earlier_ns + (now - own.begun_ns));
    if (cpu >= own.begun_cpu_ns)
        set_shared(figures.running, own.earlier_cpu_ns + (cpu - own.begun_cpu_ns));
}

void stop_watching(ThreadSwitches& own) {
    ThreadState& state = *own.state;
    const bool locked = lock.lock();
    stop_comparing(state);
    note_age(own, monotonic_ns());
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

// Leaves out what has not been read.
void skip(ThreadSwitches& own) {
    own.ring.skip_all();
    own.out = Out::no;
    set_shared(own.state->switches_read, relaxed(*own.state->switches_written));
}

void book(ThreadState& state) {
    ThreadSwitches& own = *state.switches;
    if (!is_recorded(state))
        return skip(own);
    const int saved_errno = errno;
    const WaitPlace place = place_of_wait(state, own);
    const std::uint64_t waited_ns = own.figures->waited;
    read_records(own, path_wait_figures.of(state, &place.node), place.kind);
    note_call_waited(state, own, place, own.figures->waited - waited_ns);
    if (costs_too_much(own))
        stop_watching(own);
    errno = saved_errno;
}

constexpr SwitchCalls calls = {.book = book, .seen_in = note_seen};

}  // namespace

void allow_watching(Watching how) {
    watching = runs_in_valgrind() ? Watching::off : how;
    all_switches = nullptr;
    lock = {};
    rings = rings_opened = 0;
    forget_locks();
    switch_calls = &calls;
}

void watch_switches(ThreadState& state) {
    if (watching == Watching::off || !is_affordable())
        return;
    const int saved_errno = errno;
    ThreadSwitches* own = state.switches;
    if (!own)
        own = static_cast<ThreadSwitches*>(state.arena.allocate(sizeof *own));
    ThreadWaitFigures* const figures = thread_wait_figures.of(state, nullptr);
    EventRing ring = own && figures ? open_ring() : EventRing();
    const bool by_clock = !ring && own && figures && watching == Watching::always;
    if (ring || by_clock) {
        own->state = &state;
        own->figures = figures;
        own->tid = state.record->tid;
        own->out = Out::no;
        own->records = 0;
        own->seen = {};
        set_shared(own->by_clock, by_clock);
        set_call(*own, {});
        own->earlier_ns = figures->watched;
        own->earlier_cpu_ns = figures->running;
        own->begun_cpu_ns = processor_ns_of(own->tid);
        own->begun_ns = monotonic_ns();
        const bool locked = lock.lock();
        own->ring = ring;
        __atomic_add_fetch(&rings, ring ? 1 : 0, __ATOMIC_RELAXED);
        if (locked && !state.switches) {
            own->next = all_switches;
            __atomic_store_n(&all_switches, own, __ATOMIC_RELEASE);
        }
        if (locked)
            lock.unlock();
        state.switches = own;
        if (ring) {
            set_shared(state.switches_written, ring.written());
            set_shared(state.switches_read, std::uint64_t{0});
        }
    }
    errno = saved_errno;
}

void end_watching(ThreadState& state) {
    ThreadSwitches* const own = state.switches;
    if (!own || (!own->ring && !own->by_clock))
        return;
    const int saved_errno = errno;
    if (has_switched(state))
        book(state);
    if (own->ring)
        stop_watching(*own);
    else if (own->by_clock)
        note_age(*own, monotonic_ns());
    set_shared(own->by_clock, false);
    errno = saved_errno;
}

void skip_switches(ThreadState& state) {
    if (state.switches && state.switches->ring)
        skip(*state.switches);
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
        if (own->ring || relaxed(own->by_clock))
            note_age(*own, now);
    lock.unlock();
}

// Another thread: of what it has not booked itself, the latest is known, if it lasts.
static void finish_other(ThreadSwitches& own, std::uint64_t now) {
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
        usual = kind_of_call(call);
    if (usual == WaitKind::not_seen)
        usual = own.seen.kind_of_wait(out_ns);
    const Out out = record.flags & preempted ? Out::displaced : Out::waits;
    book_absence({out, out_ns, now}, row_for_other_thread(*own.state->record, node), *own.figures,
                 usual);
}

void finish_watching(ThreadState* own_state) {
    if (own_state)
        end_watching(*own_state);
    const std::uint64_t now = monotonic_ns();
    if (!lock.lock())
        return;
    for (ThreadSwitches* own = all_switches; own; own = own->next) {
        if (relaxed(own->by_clock))
            note_age(*own, now);
        if (!own->ring)
            continue;
        finish_other(*own, now);
        note_age(*own, now);
        stop_comparing(*own->state);
        own->ring.replace_by_zeros();
    }
    lock.unlock();
}

int why_not_watched() { return watching == Watching::off ? 0 : relaxed(failure); }

}  // namespace vftrace
