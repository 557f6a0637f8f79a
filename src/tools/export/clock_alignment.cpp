#include "export/clock_alignment.hpp"

#include "export/replay.hpp"

namespace vftrace {
namespace {

// Times and offsets beyond this come from damaged files; sums of two below it do not overflow.
constexpr std::int64_t largest_time = 3'000'000'000'000'000'000;

bool is_sane(const VfdClock& clock) {
    for (std::int64_t ns : {clock.start_unix_ns, clock.start_monotonic_ns, clock.begin_ns,
                            clock.begin_offset_ns, clock.end_ns, clock.end_offset_ns})
        if (ns > largest_time || ns < -largest_time)
            return false;
    return true;
}

// A rank's time 0 on the common clock, and the drift of the difference.
struct Start {
    std::int64_t ns = 0;
    std::int64_t drift_begin = 0;
    double drift = 0.0;
};

Start measured_start(const VfdClock& clock) {
    if (clock.measured == 0)
        return {clock.start_monotonic_ns};
    Start start{clock.start_monotonic_ns + clock.begin_offset_ns, clock.begin_ns, 0.0};
    const double between = static_cast<double>(clock.end_ns) - static_cast<double>(clock.begin_ns);
    const double change = static_cast<double>(clock.end_offset_ns - clock.begin_offset_ns);
    // Real clocks do not drift by more than a thousandth.
    if (clock.measured > 1 && between > 0 && change / between < 1e-3 && change / between > -1e-3)
        start.drift = change / between;
    return start;
}

std::int64_t error_of(ClockSource source, const VfdClock& clock, std::int64_t run_ns) {
    constexpr std::int64_t unknown = 1'000'000'000;
    if (source == ClockSource::same_host)
        return 0;
    if (source != ClockSource::measured)
        return unknown;
    const std::int64_t error = std::max<std::int64_t>(clock.measured > 0 ? clock.begin_error_ns : 0,
                                                      clock.measured > 1 ? clock.end_error_ns : 0);
    // A clock that was compared only once with that of another host may have drifted since, by some
    // microseconds per second.
    constexpr std::int64_t run_of_a_ns = 100'000;
    const bool can_drift = clock.measured == 1 && error > 0;
    return std::clamp<std::int64_t>(error + (can_drift ? run_ns / run_of_a_ns : 0), 0, unknown);
}

ClockSource best_source(std::span<const VfdFile* const> files) {
    bool clocks = true, measured = true, same_host = true;
    const std::string& host = files.front()->extension().host;
    for (const VfdFile* file : files) {
        const std::optional<VfdClock>& clock = file->extension().clock;
        clocks = clocks && clock && is_sane(*clock);
        // All other ranks are compared with rank 0.
        measured = measured && clocks && (clock->measured > 0 || file->header().numbers.rank == 0);
        same_host = same_host && !host.empty() && file->extension().host == host;
    }
    if (!clocks)
        return ClockSource::own_start;
    return measured && files.size() > 1 ? ClockSource::measured
           : same_host                  ? ClockSource::same_host
                                        : ClockSource::wall_clock;
}

}  // namespace

ClockAlignment align_clocks(std::span<const std::unique_ptr<VfdFile>> files) {
    std::vector<const VfdFile*> all;
    for (const std::unique_ptr<VfdFile>& file : files)
        all.push_back(file.get());
    return align_clocks(all);
}

ClockAlignment align_clocks(std::span<const VfdFile* const> files) {
    ClockAlignment alignment;
    if (files.empty())
        return alignment;
    alignment.source = best_source(files);
    std::vector<Start> starts;
    for (const VfdFile* file : files) {
        const VfdClock clock = file->extension().clock.value_or(VfdClock{});
        alignment.errors.push_back(error_of(alignment.source, clock, end_of_run_ns(*file)));
        switch (alignment.source) {
        case ClockSource::measured:
            starts.push_back(measured_start(clock));
            break;
        case ClockSource::same_host:
            starts.push_back({clock.start_monotonic_ns});
            break;
        case ClockSource::wall_clock:
            starts.push_back({clock.start_unix_ns});
            break;
        case ClockSource::own_start:
            starts.push_back({});
        }
    }
    std::size_t first = 0;
    auto common_start = [](const Start& start) {
        return start.ns -
               static_cast<std::int64_t>(static_cast<double>(start.drift_begin) * start.drift);
    };
    for (std::size_t i = 1; i < starts.size(); i++)
        if (common_start(starts[i]) < common_start(starts[first]))
            first = i;
    const std::int64_t zero = common_start(starts[first]);
    for (const Start& start : starts) {
        std::int64_t shift = 0;
        if (__builtin_sub_overflow(start.ns, zero, &shift) || shift > largest_time)
            shift = 0;
        alignment.clocks.emplace_back(shift, start.drift_begin, start.drift);
    }
    if (alignment.source != ClockSource::own_start)
        alignment.start_unix_ns = files[first]->extension().clock->start_unix_ns;
    return alignment;
}

}  // namespace vftrace
