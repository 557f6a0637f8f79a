// Turns the event chunks of one thread into a section of task events.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "profile/paths_of_nodes.hpp"
#include "profile/profile.hpp"
#include "vfd/trace_file_reader.hpp"
#include "vfd/trace_times.hpp"
#include "vfd/vfd_format.hpp"
#include "vfd/vfd_output.hpp"

namespace vftrace {

// For visit_words(). Leaves out events after `end_ticks`, because the run is over, and tasks of
// unknown nodes.
class TaskMoments {
  public:
    TaskMoments(VfdOutput& out, const TraceTimes& times, std::uint64_t end_ticks,
                const PathsOfNodes& nodes)
        : out_(out), times_(times), end_ticks_(end_ticks), nodes_(nodes) {}

    void event(WordKind, std::uint32_t, std::uint64_t) {}
    void record(RecordKind kind, std::uint32_t thread, std::span<const std::uint64_t> words) {
        TaskRecord record;
        if (kind != RecordKind::task || !read_record(words, record) || record.ticks > end_ticks_)
            return;
        const std::uint32_t path = nodes_(thread, record.node);
        const auto moment = static_cast<std::uint32_t>(record.moment);
        if (path == no_index || !is_task_moment(moment))
            return;
        // Keeps the order of time, even if a signal handler interrupted the thread.
        latest_ns_ = std::max(latest_ns_, times_.ns(record.ticks));
        out_.put(VfdTaskMoment{path, latest_ns_, record.task, moment});
    }

  private:
    VfdOutput& out_;
    const TraceTimes times_;
    const std::uint64_t end_ticks_;
    const PathsOfNodes& nodes_;
    std::int64_t latest_ns_ = 0;
};

}  // namespace vftrace
