// Turns the event chunks of one thread into a section of the events that the interval left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "profile/profile.hpp"
#include "vfd/trace_file_reader.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_format.hpp"
#include "vfd/vfd_output.hpp"

namespace vftrace {

// For visit_words(). What was left out after `end_ticks` counts for the end of the run.
class LeftOutEvents {
  public:
    // `path_of`: paths by Node::number.
    LeftOutEvents(VfdOutput& out, const TraceTimes& times, std::uint64_t end_ticks,
                  std::span<const std::uint32_t> path_of)
        : out_(out), times_(times), end_ticks_(end_ticks), path_of_(path_of) {}

    void event(WordKind, std::uint32_t, std::uint64_t) {}
    void record(RecordKind kind, std::uint32_t node, std::span<const std::uint64_t> words) {
        LeftOutRecord found;
        if (kind != RecordKind::left_out || !read_record(words, found) || found.events == 0)
            return;
        // Keeps the order of time, even if the thread moved to another processor.
        latest_ns_ = std::max(latest_ns_, times_.ns(std::min(found.ticks, end_ticks_)));
        const std::uint32_t stack = node < path_of_.size() ? path_of_[node] : vfd_no_stack;
        out_.put(VfdLeftOut{stack == no_index ? vfd_no_stack : stack, latest_ns_, found.events});
    }

  private:
    VfdOutput& out_;
    const TraceTimes times_;
    const std::uint64_t end_ticks_;
    const std::span<const std::uint32_t> path_of_;
    std::int64_t latest_ns_ = 0;
};

}  // namespace vftrace
