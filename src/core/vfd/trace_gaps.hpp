// The gaps of a trace: events were dropped, or the program waited for the trace to be written.
#pragma once

#include <cstdint>
#include <vector>

#include "record/trace_words.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace {

class TraceGaps {
  public:
    // The gaps of a thread are added one after the other. Beyond most_gaps, all further gaps of a
    // thread and kind are combined into one, so that memory is bounded.
    void add(std::uint32_t thread, bool waited, const GapRecord& record, const TraceTimes& times) {
        if (!waited)
            dropped_events_ += record.events;
        const VfdGap gap{thread, waited, times.ns(record.start), times.ns(record.end),
                         record.events};
        std::size_t& latest = latest_[waited];
        if (gaps_.size() >= most_gaps && latest < gaps_.size() && gaps_[latest].thread == thread) {
            gaps_[latest].end_ns = gap.end_ns;
            gaps_[latest].events += gap.events;
        } else {
            latest = gaps_.size();
            gaps_.push_back(gap);
        }
    }

    const std::vector<VfdGap>& gaps() const { return gaps_; }
    std::uint64_t dropped_events() const { return dropped_events_; }

  private:
    static constexpr std::size_t most_gaps = 100'000;
    std::vector<VfdGap> gaps_;
    std::size_t latest_[2] = {most_gaps, most_gaps};  // by kind: index of the last gap
    std::uint64_t dropped_events_ = 0;
};

}  // namespace vftrace
