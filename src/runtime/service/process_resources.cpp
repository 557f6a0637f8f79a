// Figures from the operating system about the process and the processors of its host: the sources
// `process`, `io` and `processors`.
//
// All of them are counters of the kernel, which are read when recording begins and ends, and with
// process.interval also in between; calls do not cause any work.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <sched.h>
#include <span>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/message.hpp"
#include "base/relaxed.hpp"
#include "config/options.hpp"
#include "guest/proc_status.hpp"
#include "guest/seccomp.hpp"
#include "service/process_bytes.hpp"
#include "service/service_thread.hpp"
#include "service/thread_binding.hpp"
#include "service/thread_waits.hpp"
#include "tree/call_tree.hpp"
#include "tree/own_record.hpp"
#include "tree/series.hpp"
#include "tree/side_tables.hpp"
#include "tree/source.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {
namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;
constexpr std::size_t most_figures = 6;

void read_usage(std::uint64_t* numbers) {
    rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    const auto ns = [](const timeval& time) {
        return static_cast<std::uint64_t>(time.tv_sec) * second_ns +
               static_cast<std::uint64_t>(time.tv_usec) * 1000;
    };
    numbers[0] = ns(usage.ru_utime);
    numbers[1] = ns(usage.ru_stime);
    const long counts[] = {usage.ru_minflt, usage.ru_majflt, usage.ru_nvcsw, usage.ru_nivcsw};
    std::copy(std::begin(counts), std::end(counts), numbers + 2);
}

void read_io(std::uint64_t* numbers) {
    constexpr std::string_view names[] = {"rchar", "wchar",      "syscr",
                                          "syscw", "read_bytes", "write_bytes"};
    numbers_in_status("/proc/self/io", names, numbers);
}

// The processors that any thread has been allowed to use: a bound thread, such as the first one of
// OpenMP, gives little information about the others.
cpu_set_t allowed;

void note_allowed() {
    cpu_set_t own;
    if (sched_getaffinity(0, sizeof own, &own) != 0)
        return;
    for (std::size_t i = 0; i < std::size(own.__bits); i++)
        if (own.__bits[i] & ~relaxed(allowed.__bits[i]))
            __atomic_fetch_or(&allowed.__bits[i], own.__bits[i], __ATOMIC_RELAXED);
}

void read_waits(std::uint64_t* numbers) {
    const ThreadWaits waits = waits_of_threads();
    numbers[0] = waits.waiting_ns;
    numbers[1] = waits.migrations;
    if (const int count = CPU_COUNT(&allowed))
        numbers[2] = static_cast<std::uint64_t>(count);
}

// Of the host. The C library reads a file each time that it is asked.
std::uint64_t online_processors;

// The first line of /proc/stat: user, nice, system, idle, waiting for disks (idle too), interrupts,
// soft interrupts, stolen. Guest time is part of user time.
void read_host(std::uint64_t* numbers) {
    std::uint64_t ticks[8];
    if (numbers_in_line("/proc/stat", ticks, 8, "cpu ") != 8)
        return;
    const std::uint64_t tick = second_ns / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    if (online_processors == 0)
        online_processors = static_cast<std::uint64_t>(sysconf(_SC_NPROCESSORS_ONLN));
    numbers[0] = online_processors;
    numbers[1] = 0;
    for (const std::uint64_t one : ticks)
        numbers[1] += one * tick;
    numbers[2] = (ticks[3] + ticks[4]) * tick;
    numbers[3] = ticks[7] * tick;
}

struct Figure {
    MetricId metric;
    bool is_counter = true;  // its increase is what counts
};

// The figures of a source, which are read together.
struct Group {
    std::span<const Figure> figures;
    void (*read)(std::uint64_t* numbers);  // leaves `not_known` where it cannot read
    std::uint64_t at_start[most_figures] = {};
    SideTable* table = nullptr;       // in the process's record; only of known figures
    std::uint64_t* values = nullptr;  // in that table, from the first update on

    // Creates the table now, because the program may be unable to write files at the end. Without
    // memory, the figures are missing.
    void begin() {
        std::fill(std::begin(at_start), std::end(at_start), not_known);
        read(at_start);
        table = nullptr;
        values = nullptr;
        SideColumn columns[most_figures];
        std::size_t known = 0;
        for (std::size_t i = 0; i < figures.size(); i++)
            if (at_start[i] != not_known)
                columns[known++] = {figures[i].metric};
        if (known > 0)
            table = make_process_values({columns, known});
    }
    void update() {
        std::uint64_t now[most_figures];
        std::fill(std::begin(now), std::end(now), not_known);
        read(now);
        if (!values && table)
            values = list_process_values(*table);
        std::uint64_t* value = values;
        for (std::size_t i = 0; value && i < figures.size(); i++) {
            if (at_start[i] == not_known)
                continue;
            const std::uint64_t before = figures[i].is_counter ? at_start[i] : 0;
            // The kernel's counts may decrease a little when time is redistributed.
            if (now[i] != not_known && now[i] >= before)
                set_shared(*value, std::max(*value, now[i] - before));
            value++;
        }
    }
    std::uint64_t value(std::size_t figure) const {
        std::size_t place = 0;
        for (std::size_t i = 0; i < figure; i++)
            place += at_start[i] != not_known;
        return values && at_start[figure] != not_known ? relaxed(values[place]) : 0;
    }
};

constexpr Figure of_process[] = {{MetricId::process_user},
                                 {MetricId::process_system},
                                 {MetricId::process_minor_faults},
                                 {MetricId::process_major_faults},
                                 {MetricId::process_voluntary_switches},
                                 {MetricId::process_involuntary_switches}};
constexpr Figure of_io[] = {{MetricId::io_rchar},      {MetricId::io_wchar},
                            {MetricId::io_syscr},      {MetricId::io_syscw},
                            {MetricId::io_read_bytes}, {MetricId::io_write_bytes}};
constexpr Figure of_waits[] = {{MetricId::processors_waiting},
                               {MetricId::processors_migrations},
                               {MetricId::processors_allowed, false}};
constexpr Figure of_host[] = {{MetricId::processors_count, false},
                              {MetricId::processors_time},
                              {MetricId::processors_idle},
                              {MetricId::processors_stolen}};

Group process{of_process, read_usage}, io{of_io, read_io}, waits{of_waits, read_waits},
    host{of_host, read_host};
// Tables are listed in reverse order of creation.
constexpr Group* groups[] = {&host, &waits, &io, &process};

bool active;

void update_all() {
    for (Group* group : groups)
        group->update();
}

// The rate of growth of some figures of a group, over time.
struct Rate {
    MetricId metric;
    const Group* group;
    std::size_t first, last;  // figures to be added up
    double unit;              // of the sum, per second
    SeriesRecord* series = nullptr;
    std::uint64_t before = 0;
};
constexpr double per_second_of_time = 1e-9;
Rate rates[] = {{MetricId::process_busy_at, &process, 0, 1, per_second_of_time},
                {MetricId::io_rate_at, &io, 0, 1, 1},
                {MetricId::processors_waiting_at, &waits, 0, 0, per_second_of_time}};
std::uint64_t rates_read_ns;

void add_rates() {
    const std::uint64_t now = monotonic_ns(), ticks = tree_ticks();
    const double seconds = static_cast<double>(now - rates_read_ns) / second_ns;
    rates_read_ns = now;
    for (Rate& rate : rates) {
        std::uint64_t sum = 0;
        for (std::size_t i = rate.first; i <= rate.last; i++)
            sum += rate.group->value(i);
        if (rate.series && rate.group->values && seconds > 0)
            add_reading(*rate.series, ticks,
                        static_cast<double>(sum - rate.before) * rate.unit / seconds);
        rate.before = sum;
    }
}

TimedWork work = {.interval_ns = 0,
                  .run =
                      [] {
                          if (seccomp_filter_was_added())
                              return;
                          update_all();
                          add_rates();
                          for (const Rate& rate : rates)
                              if (rate.series)
                                  set_shared(rate.series->missed, work.missed);
                      },
                  .waits_first = true};

void read_again_and_again() {
    rates_read_ns = monotonic_ns();
    for (Rate& rate : rates) {
        rate.before = 0;
        rate.series =
            rate.group->at_start[rate.first] != not_known ? new_series(rate.metric) : nullptr;
    }
    if (const int error = every(work))
        message(
            "process.interval: cannot start the thread that reads the figures of the process: %s",
            std::strerror(error));
}

// Reported only if requested; otherwise only missing columns show it.
void say_what_is_missing() {
    constexpr struct {
        const Group* group;
        std::size_t figure;
        const char* file;
    } files[] = {{&io, 0, "/proc/self/io"},
                 {&waits, 0, "/proc/self/task/*/schedstat"},
                 {&waits, 1, "/proc/self/task/*/sched"},
                 {&host, 0, "/proc/stat"}};
    for (const auto& one : files)
        if (one.group->at_start[one.figure] == not_known)
            message_of(Speaker::job,
                       "process.interval: %s cannot be read: figures are missing "
                       "(see man vftrace-run)",
                       one.file);
}

void process_begins() {
    if (!active)
        return;
    for (Group* group : groups)
        group->begin();
    if (work.interval_ns == 0)
        return;
    say_what_is_missing();
    read_again_and_again();
}

// Short recordings are left out: reading their figures would cost more than it is worth.
void thread_ends(ThreadState& state) {
    constexpr double short_life_ns = 10e6;
    if (!active)
        return;
    note_binding(*state.record);
    const std::uint64_t ticks = tree_ticks();
    const ClockReading& start = process_record->start;
    const double ns_per_tick = static_cast<double>(monotonic_ns() - start.ns) /
                               static_cast<double>(std::max(ticks - start.ticks, std::uint64_t{1}));
    if (static_cast<double>(ticks - state.record->started) * ns_per_tick >= short_life_ns &&
        !seccomp_filter_was_added())
        note_waits_of_ending_thread();
}

}  // namespace

ProcessBytes bytes_since_start() {
    if (!active || io.at_start[0] == not_known || seccomp_filter_was_added())
        return {};
    std::uint64_t now[most_figures];
    std::fill(std::begin(now), std::end(now), not_known);
    read_io(now);
    if (now[0] == not_known || now[1] == not_known)
        return {};
    return {now[0] - io.at_start[0], now[1] - io.at_start[1]};
}

// This source reads the figures of all three.
constexpr Source process_source = {
    .prepare =
        [](const Options& options) {
            constexpr double shortest = 1e-3;
            active = options.process_active;
            work.interval_ns = active ? interval_ns(options.process_interval, shortest) : 0;
            if (active)
                note_allowed();
        },
    .process_begins = process_begins,
    .thread_begins =
        [](ThreadState&) {
            if (active)
                note_allowed();
        },
    .thread_ends = thread_ends,
    .forget_parent =
        [] {
            forget_ended_threads();
            for (Group* group : groups) {
                group->table = nullptr;
                group->values = nullptr;
            }
            for (Rate& rate : rates)
                rate.series = nullptr;
        },
    .finish =
        [](ThreadState*) {
            if (!active)
                return;
            update_all();
            note_bindings_at_end(online_processors);
            if (work.interval_ns > 0)
                for (const Rate& rate : rates)
                    if (rate.series)
                        end_point(*rate.series, tree_ticks());
        }};
constexpr Source io_source = {};
constexpr Source processors_source = {};

}  // namespace vftrace
