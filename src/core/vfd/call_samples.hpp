// Turns the event chunks of one thread into a section of samples in functions without hooks.
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

// For visit_words(). Leaves out samples after `end_ticks`, because the run is over, and samples of
// unknown nodes.
class CallSamples {
  public:
    // `path_of`: paths by Node::number.
    CallSamples(VfdOutput& out, const TraceTimes& times, std::uint64_t end_ticks,
                std::span<const std::uint32_t> path_of)
        : out_(out), times_(times), end_ticks_(end_ticks), path_of_(path_of) {}

    void event(WordKind, std::uint32_t, std::uint64_t) {}
    void record(RecordKind kind, std::uint32_t node, std::span<const std::uint64_t> words) {
        if (kind != RecordKind::sampled || words.size() != 1 || words[0] > end_ticks_ ||
            node >= path_of_.size() || path_of_[node] == no_index)
            return;
        // Keeps the order of time, even if the thread moved to another processor.
        latest_ns_ = std::max(latest_ns_, times_.ns(words[0]));
        out_.put(VfdCallSample{path_of_[node], latest_ns_});
    }

  private:
    VfdOutput& out_;
    const TraceTimes times_;
    const std::uint64_t end_ticks_;
    const std::span<const std::uint32_t> path_of_;
    std::int64_t latest_ns_ = 0;
};

}  // namespace vftrace
