#include "counters/thread_counters.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/arena.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "tree/event_buffer.hpp"
#include "tree/registry.hpp"
#include "tree/side_tables.hpp"

namespace vftrace {

CounterSetup counter_setup;

namespace {

// An activation that reads. It is followed by three numbers for each counter.
struct OpenReading {
    const Frame* frame;
    const StackSegment* segment;
    SideRow* row;
    bool outermost;
};
struct OpenNumbers {
    std::int64_t start;     // reading at the entry, moved by the counts during its suspension
    std::int64_t inner;     // counted by activations inside it that read
    std::int64_t credited;  // the part of its count that is already in another's `inner`
};

constexpr std::size_t first_open_bytes = 16 * 1024;

}  // namespace

// Private to the thread and, because ThreadState leads to it, to its process.
struct ThreadCounters {
    SourceThread source;
    bool running;  // the source has begun
    bool failed;
    std::uint64_t read_at;  // ticks of `latest`; 0: none
    std::int64_t latest[most_counters];
    std::int64_t at_pause[most_counters];
    bool pausing;
    char* open;  // OpenReading and its numbers, one after another; per stack in order of entry
    std::size_t open_count, open_bytes;
};

namespace {

std::size_t stride() { return sizeof(OpenReading) + counter_setup.counters * sizeof(OpenNumbers); }
OpenReading& open_at(const ThreadCounters& own, std::size_t index) {
    return *reinterpret_cast<OpenReading*>(own.open + index * stride());
}
OpenNumbers* numbers_of(OpenReading& reading) {
    return reinterpret_cast<OpenNumbers*>(&reading + 1);
}
std::span<std::int64_t> used(std::int64_t (&values)[most_counters]) {
    return {values, counter_setup.counters};
}

void give_up(ThreadCounters& own, const char* why) {
    own.failed = true;
    own.open_count = 0;
    VFTRACE_MESSAGE_ONCE("hwprof: %s; this thread continues without counters", why);
}

// Doubles the room for open activations. Returns false if there is no memory.
bool grow_open(ThreadCounters& own) {
    const std::size_t more = own.open_bytes ? 2 * own.open_bytes : first_open_bytes;
    auto* larger = static_cast<char*>(map_memory(more));
    if (!larger)
        return false;
    if (own.open_bytes) {
        std::memcpy(larger, own.open, own.open_bytes);
        unmap_memory(own.open, own.open_bytes);
    }
    own.open = larger;
    own.open_bytes = more;
    return true;
}

// The thread's counters, started if necessary; nullptr if they cannot be read.
ThreadCounters* counters_of(ThreadState& state) {
    if (!state.counters) {
        state.counters = static_cast<ThreadCounters*>(map_memory(sizeof(ThreadCounters)));
        if (!state.counters)
            return nullptr;
    }
    ThreadCounters& own = *state.counters;
    if (own.failed)
        return nullptr;
    if (!own.running) {
        own.source = {};
        if (!counter_setup.source->begin_thread(own.source)) {
            give_up(own, "the counters of a thread could not be started");
            return nullptr;
        }
        own.running = true;
    }
    return &own;
}

bool take_reading(ThreadCounters& own, std::uint64_t now) {
    if (!counter_setup.source->read(own.source, used(own.latest))) {
        give_up(own, "the counters can no longer be read (were descriptors closed?)");
        return false;
    }
    own.read_at = now;
    return true;
}

// Two columns for each counter.
std::span<const SideColumn> columns() {
    static_assert(sizeof(CounterSums) == 2 * sizeof(std::uint64_t));
    static constexpr auto all = [] {
        std::array<SideColumn, 2 * most_counters> made{};
        for (std::size_t i = 0; i < most_counters; i++) {
            const auto index = static_cast<std::uint16_t>(i);
            made[2 * i] = {MetricId::hwprof_inclusive, index, SideValue::signed_number};
            made[2 * i + 1] = {MetricId::hwprof_exclusive, index, SideValue::signed_number};
        }
        return made;
    }();
    return {all.data(), std::size_t{2} * counter_setup.counters};
}

CounterSums* sums_of(SideRow& row) { return reinterpret_cast<CounterSums*>(row.values()); }

// The activation that the one at `index` lies in: on the same stack, or on one that this stack
// interrupted.
OpenReading* enclosing(const ThreadCounters& own, std::size_t index) {
    const StackSegment* segment = open_at(own, index).segment;
    std::size_t end = index;
    for (; segment; segment = segment->interrupted, end = own.open_count)
        for (std::size_t i = end; i-- > 0;)
            if (i != index && open_at(own, i).segment == segment)
                return &open_at(own, i);
    return nullptr;
}

// Adds the counts of the activation to the `inner` of the enclosing one.
void credit(ThreadCounters& own, std::size_t index, std::span<const std::int64_t> now) {
    OpenReading* around = enclosing(own, index);
    OpenNumbers* numbers = numbers_of(open_at(own, index));
    for (std::size_t i = 0; i < counter_setup.counters; i++) {
        const std::int64_t counted = now[i] - numbers[i].start;
        if (around)
            numbers_of(*around)[i].inner += counted - numbers[i].credited;
        numbers[i].credited = counted;
    }
}

void book(ThreadCounters& own, std::size_t index, std::span<const std::int64_t> now) {
    OpenReading& reading = open_at(own, index);
    const OpenNumbers* numbers = numbers_of(reading);
    CounterSums* sums = sums_of(*reading.row);
    for (std::size_t i = 0; i < counter_setup.counters; i++) {
        const std::int64_t counted = now[i] - numbers[i].start;
        if (reading.outermost)
            add_relaxed(sums[i].inclusive, static_cast<std::uint64_t>(counted));
        add_relaxed(sums[i].exclusive, static_cast<std::uint64_t>(counted - numbers[i].inner));
    }
}

void remove_open(ThreadCounters& own, std::size_t index) {
    char* gone = own.open + index * stride();
    std::memmove(gone, gone + stride(), (own.open_count - index - 1) * stride());
    own.open_count--;
}

// While a stack is suspended, `start` of its activations is minus their counts.
constexpr std::int64_t zeros[most_counters] = {};

void close(ThreadCounters& own, std::size_t index, std::span<const std::int64_t> now) {
    if (open_at(own, index).segment->suspended_at)
        now = zeros;
    book(own, index, now);
    credit(own, index, now);
    remove_open(own, index);
}

// Removes activations whose frames were left without closing them: a signal handler jumped out of
// the slow path.
void forget_dead(ThreadCounters& own, const Frame& frame, const StackSegment* segment) {
    for (std::size_t i = own.open_count; i-- > 0;)
        if (open_at(own, i).segment == segment && open_at(own, i).frame >= &frame)
            remove_open(own, i);
}

bool is_open(const ThreadCounters& own, const SideRow& row) {
    for (std::size_t i = 0; i < own.open_count; i++)
        if (open_at(own, i).row == &row)
            return true;
    return false;
}

void trace_latest(ThreadState& state, const ThreadCounters& own) {
    trace_record(state, RecordKind::readings, 0, 0, own.latest,
                 counter_setup.counters * sizeof own.latest[0]);
}

// Called before the event itself, if that goes to the trace.
void trace_readings(ThreadState& state, const ThreadCounters& own, const Node& node,
                    std::uint64_t now) {
    if (state.trace && is_sampled(*state.trace, node, std::max(now, state.trace->latest_slow)))
        trace_latest(state, own);
}

void entered(ThreadState& state, const Frame& frame, std::uint64_t now) {
    // This is inside an activation of the same function, which counts for both.
    if (frame.start == frame_nested && (&frame)[-1].node == frame.node)
        return;
    ThreadCounters* own = counters_of(state);
    if (!own)
        return;
    forget_dead(*own, frame, state.segment);
    SideRow* row = side_row(state, columns(), frame.node);
    const std::size_t bytes = (own->open_count + 1) * stride();
    while (row && bytes > own->open_bytes)
        if (!grow_open(*own))
            row = nullptr;
    if (!row)
        return give_up(*own, "not enough memory for counter readings");
    OpenReading& reading = open_at(*own, own->open_count);
    reading = {&frame, state.segment, row, !frame.node->in_fold || !is_open(*own, *row)};
    OpenNumbers* numbers = numbers_of(reading);
    if (own->read_at != now && !take_reading(*own, now))
        return;
    for (std::size_t i = 0; i < counter_setup.counters; i++)
        numbers[i] = {own->latest[i], 0, 0};
    own->open_count++;
    trace_readings(state, *own, *frame.node, now);
}

void left(ThreadState& state, const Frame& frame, std::uint64_t now) {
    ThreadCounters* own = state.counters;
    if (!own || own->failed)
        return;
    for (std::size_t i = own->open_count; i-- > 0;) {
        const OpenReading& reading = open_at(*own, i);
        if (reading.frame != &frame || reading.row->node != frame.node)
            continue;
        if (own->read_at != now && !take_reading(*own, now))
            return;
        close(*own, i, used(own->latest));
        trace_readings(state, *own, *frame.node, now);
        return;
    }
}

void read(ThreadState& state, std::uint64_t now) {
    ThreadCounters* own = state.counters;
    if (own && !own->failed && own->open_count > 0)
        take_reading(*own, now);
}

// Moves the starts of activations, those on `segment` or all that are not suspended, by what was
// counted since `before`.
void move_starts(ThreadCounters& own, const StackSegment* segment,
                 std::span<const std::int64_t> before) {
    for (std::size_t i = 0; i < own.open_count; i++) {
        const StackSegment* own_segment = open_at(own, i).segment;
        if (segment ? own_segment != segment : own_segment->suspended_at != 0)
            continue;
        OpenNumbers* numbers = numbers_of(open_at(own, i));
        for (std::size_t counter = 0; counter < counter_setup.counters; counter++)
            numbers[counter].start += own.latest[counter] - before[counter];
    }
}

void suspended(ThreadState& state, const StackSegment& segment, std::uint64_t now) {
    ThreadCounters* own = state.counters;
    if (!own || own->failed)
        return;
    bool first = true;
    for (std::size_t i = 0; i < own->open_count; i++) {
        if (open_at(*own, i).segment != &segment)
            continue;
        if (own->read_at != now && !take_reading(*own, now))
            return;
        if (first)  // the others are inside it
            credit(*own, i, used(own->latest));
        first = false;
        OpenNumbers* numbers = numbers_of(open_at(*own, i));
        for (std::size_t counter = 0; counter < counter_setup.counters; counter++)
            numbers[counter].start -= own->latest[counter];
    }
}

void resumed(ThreadState& state, const StackSegment& segment, std::uint64_t now) {
    ThreadCounters* own = state.counters;
    if (!own || own->failed)
        return;
    for (std::size_t i = 0; i < own->open_count; i++)
        if (open_at(*own, i).segment == &segment) {
            if (own->read_at == now || take_reading(*own, now))
                move_starts(*own, &segment, zeros);
            return;
        }
}

}  // namespace

constexpr CounterCalls thread_counter_calls = {.wanted = nullptr,
                                               .entered = entered,
                                               .left = left,
                                               .read = read,
                                               .suspended = suspended,
                                               .resumed = resumed};

void pause_thread_counters(ThreadState& state) {
    ThreadCounters* own = state.counters;
    if (!own || own->failed || own->open_count == 0 || !take_reading(*own, 0))
        return;
    std::copy(std::begin(own->latest), std::end(own->latest), std::begin(own->at_pause));
    own->pausing = true;
}

void resume_thread_counters(ThreadState& state) {
    ThreadCounters* own = state.counters;
    if (!own || own->failed || !std::exchange(own->pausing, false) || !take_reading(*own, 0))
        return;
    move_starts(*own, nullptr, used(own->at_pause));
}

void trace_reading_at_end(ThreadState& state) {
    ThreadCounters* own = state.counters;
    if (state.trace && own && own->running && !own->failed && take_reading(*own, 0))
        trace_latest(state, *own);
}

void end_thread_counters(ThreadState& state) {
    ThreadCounters* own = state.counters;
    if (!own)
        return;
    if (own->running) {
        counter_setup.source->end_thread(own->source);
        if (own->source.sharing)
            if (SideTable* table = side_table(state, columns()))
                table->notes |= own->source.sharing;
    }
    own->running = own->failed = own->pausing = false;
    while (own->open_count > 0)
        remove_open(*own, own->open_count - 1);
}

void book_open_calls_of_other_threads(const ThreadState* self) {
    if (!counter_setup.source || !counter_setup.source->read_other)
        return;
    for (ThreadState* state = first_thread_state(); state; state = state->next) {
        ThreadCounters* own = state->counters;
        if (state == self || !own || !own->running || own->failed ||
            !__atomic_load_n(&state->record->in_use, __ATOMIC_ACQUIRE))
            continue;
        std::int64_t values[most_counters];
        if (own->open_count == 0 || !counter_setup.source->read_other(own->source, used(values)))
            continue;
        // From the innermost outwards, as they would be left.
        while (own->open_count > 0)
            close(*own, own->open_count - 1, used(values));
    }
}

}  // namespace vftrace
