#include "recover/process_clock.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace vftrace {
namespace {

constexpr std::uint64_t shortest_comparison_ns = 1'000'000;
// Counters of processors count at 1 MHz to 10 GHz.
constexpr double shortest_tick_ns = 0.1, longest_tick_ns = 1000;

// Nanoseconds per tick, if the two readings are from one clock and far enough apart.
std::optional<double> rate_between(const ClockReading& start, const ClockReading& end) {
    if (end.ticks <= start.ticks || end.ns < start.ns || end.ns - start.ns < shortest_comparison_ns)
        return std::nullopt;
    const double rate =
        static_cast<double>(end.ns - start.ns) / static_cast<double>(end.ticks - start.ticks);
    return rate >= shortest_tick_ns && rate <= longest_tick_ns ? std::optional(rate) : std::nullopt;
}

// Whether this machine has been up since the process started: its monotonic clock has the same
// distance from the wall clock, with a tolerance because the wall clock may have been adjusted.
bool is_same_boot(const ProcessRecord& record, const ClockReading& now) {
    constexpr double most_correction_ns = 2e9;
    const double distance_then =
        static_cast<double>(record.start_unix_ns) - static_cast<double>(record.start.ns);
    const double distance_now = static_cast<double>(unix_time_ns()) - static_cast<double>(now.ns);
    return std::abs(distance_now - distance_then) < most_correction_ns;
}

bool agree(double a, double b) { return std::abs(a - b) < 1e-3 * b; }

std::int64_t nanoseconds(std::uint64_t ticks, double ns_per_tick) {
    constexpr double most = 4e18;  // 126 years
    return static_cast<std::int64_t>(std::min(static_cast<double>(ticks) * ns_per_tick, most));
}

ClockReading now_in_ticks_of(const ProcessRecord& record) {
    ClockReading now = read_both_clocks();
    if (!record.processor_ticks)
        now.ticks = now.ns;
    return now;
}

}  // namespace

void ProcessClock::find_rate(const ProcessRecord& record, bool runs) {
    if (!record.processor_ticks)
        return;  // ticks are nanoseconds
    const ClockReading now = read_both_clocks();
    const std::optional<double> in_run = rate_between(record.start, record.latest);
    const std::optional<double> since = rate_between(record.start, now);
    // A longer comparison is better, if it is valid.
    if (since && (runs || (is_same_boot(record, now) && (!in_run || agree(*since, *in_run))))) {
        ns_per_tick_ = *since;
        return;
    }
    if (in_run) {
        ns_per_tick_ = *in_run;
        return;
    }
    ns_per_tick_ = nanoseconds_per_tick(now);
    rate_is_known_ = runs;
}

ProcessClock::ProcessClock(const ProcessRecord& record, std::uint64_t latest_ticks, bool runs) {
    find_rate(record, runs);
    const std::uint64_t start = record.start.ticks;
    const std::int64_t now_unix = unix_time_ns();
    // The clocks of different machines differ.
    constexpr std::int64_t most_difference_ns = 86'400'000'000'000;
    longest_possible_ = static_cast<std::uint64_t>(
        static_cast<double>(std::max<std::int64_t>(now_unix - record.start_unix_ns, 0) +
                            most_difference_ns) /
        ns_per_tick_);
    end_ticks_ = record.state != ProcessState::running && record.end_ticks >= start
                     ? record.end_ticks
                 : runs ? now_in_ticks_of(record).ticks
                        : latest_ticks;
    std::uint64_t ticks = std::min(end_ticks_ - std::min(end_ticks_, start), longest_possible_);
    if (start == 0)
        ticks = 0;  // recording has not begun
    end_ticks_ = start + ticks;
    run_time_ns_ = nanoseconds(ticks, ns_per_tick_);
    const bool marked = record.state != ProcessState::running && record.end_unix_ns > 0;
    end_unix_ns_ = runs     ? now_unix
                   : marked ? record.end_unix_ns
                            : record.start_unix_ns + run_time_ns_;
}

}  // namespace vftrace
