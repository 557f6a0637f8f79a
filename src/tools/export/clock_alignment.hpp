// Puts the times of several ranks on one clock. For tools.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "readers/vfd_reader.hpp"

namespace vftrace {

// Converts times of one rank's file to common times, both in ns. Never runs backwards.
class AlignedClock {
  public:
    AlignedClock() = default;
    // common = ns + shift + (ns - drift_begin) * drift
    AlignedClock(std::int64_t shift, std::int64_t drift_begin, double drift)
        : shift_(shift), drift_begin_(drift_begin), drift_(drift) {}

    std::int64_t operator()(std::int64_t ns) const {
        ns = std::min(ns, latest);
        const std::int64_t common =
            ns + shift_ +
            (drift_ == 0.0
                 ? 0
                 : static_cast<std::int64_t>(static_cast<double>(ns - drift_begin_) * drift_));
        return std::max<std::int64_t>(common, 0);
    }

  private:
    // Later than any real time; keeps sums from overflowing.
    static constexpr std::int64_t latest = 4'000'000'000'000'000'000;
    std::int64_t shift_ = 0, drift_begin_ = 0;
    double drift_ = 0.0;
};

// Sources of the differences between the clocks of ranks, best first.
enum class ClockSource {
    measured,    // through MPI; linear between two measurements
    same_host,   // all ran on one host and so had one clock
    wall_clock,  // the hosts' time of day when recording began
    own_start    // nothing: each rank begins at 0
};

struct ClockAlignment {
    ClockSource source = ClockSource::own_start;
    std::vector<AlignedClock> clocks;  // one per file
    // One per file: by how much its common times may be wrong, in ns. For `measured`, the larger
    // error of the two measurements, or that of a single one plus the possible drift during the
    // run; for `wall_clock` and `own_start`, a second, because the error is not known.
    std::vector<std::int64_t> errors;
    std::int64_t start_unix_ns = 0;  // of the common time 0; 0 if unknown
};

// The common time 0 is when the first rank began to record.
ClockAlignment align_clocks(std::span<const VfdFile* const> files);
ClockAlignment align_clocks(std::span<const std::unique_ptr<VfdFile>> files);

}  // namespace vftrace
