// The end time of a process that is examined from outside, and the length of a tick of its clock.
#pragma once

#include <cstdint>

#include "record/process_record.hpp"

namespace vftrace {

class ProcessClock {
  public:
    // runs: the process runs on this machine, so its time lasts until now. `latest_ticks`: the
    // latest moment recorded in the file.
    ProcessClock(const ProcessRecord& record, std::uint64_t latest_ticks, bool runs);

    double ns_per_tick() const { return ns_per_tick_; }
    // False if it is unknown: the file is from another machine, or from a process that ran for
    // milliseconds.
    bool rate_is_known() const { return rate_is_known_; }
    std::uint64_t end_ticks() const { return end_ticks_; }
    std::int64_t end_unix_ns() const { return end_unix_ns_; }
    std::int64_t run_time_ns() const { return run_time_ns_; }  // since the start of recording
    // Ticks from the start of recording to now: nothing can have taken longer.
    std::uint64_t longest_possible() const { return longest_possible_; }

  private:
    void find_rate(const ProcessRecord& record, bool runs);

    double ns_per_tick_ = 1.0;
    bool rate_is_known_ = true;
    std::uint64_t end_ticks_ = 0;
    std::int64_t end_unix_ns_ = 0;
    std::int64_t run_time_ns_ = 0;
    std::uint64_t longest_possible_ = 0;
};

}  // namespace vftrace
