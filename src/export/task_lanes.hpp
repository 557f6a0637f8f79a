// Asynchronous tasks on timelines: a lane for each live task, from its first run to its end, below
// those of the same type. The lane of an ended task is reused. If many tasks of a type live at once
// (waiting sessions), further ones have a lane only while they run, so that there are at most as
// many lanes as `most_of_type` and the threads together. For tools.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "export/timeline.hpp"
#include "record/task_moments.hpp"

namespace vftrace {

// A task ran, without a pause; or it ended while it did not run, at `start_ns`. Times are those of
// the file.
struct TaskRun {
    std::uint64_t task;
    std::uint32_t lane, stack, thread;  // `thread`: that ran it, or ended it
    std::int64_t start_ns, end_ns;
    std::string_view left;  // word of a TaskMoment: how it ended, or that it paused; or what is
                            // known instead: "is running" (at the end), "events are missing"
    bool has_run;           // else it only ended
    bool is_first;          // of a task of which it is known where it was created
    std::uint32_t creator;  // thread; if `is_first`
    std::int64_t created_ns;
};

class TaskLanes {
  public:
    using Visitor = std::function<void(const TaskRun&)>;

    // Of a rank with tasks.
    explicit TaskLanes(const TimelineRank& rank) : rank_(rank) {}

    // Calls the visitor for all runs in the order of their ends; slices of a lane do not overlap.
    // Memory: a buffer for each thread with tasks, what is kept of those that live. Throws
    // VfdError.
    void visit(const Visitor& visitor);

    // Lanes are numbered from 0 in the order in which they are needed.
    std::uint32_t count() const { return static_cast<std::uint32_t>(lanes_.size()); }
    // "task parse (server.c:40)", of a further lane of the type "task parse (server.c:40) (2)".
    std::string name(std::uint32_t lane) const;

  private:
    static constexpr std::uint32_t none = 0xffffffff, most_of_type = 64;
    struct Task {
        std::uint32_t stack;
        std::uint32_t lane = none;
        bool keeps_lane = false;
        bool is_created = false, is_running = false, has_run = false;
        std::uint32_t creator = 0, runner = 0;
        std::int64_t created_ns = 0, start_ns = 0;
    };
    struct Lane {
        std::uint32_t stack;   // of a task of the type
        std::uint32_t number;  // of those of the type, from 1
    };
    struct Type {
        std::vector<std::uint32_t> free;  // lanes
        std::uint32_t lanes = 0, kept = 0;
    };

    void take(const VfdTaskMoment& found, std::uint32_t thread, const Visitor& visitor);
    // The task runs no more, or it ended without running then.
    void leave(std::uint64_t id, Task& task, std::uint32_t thread, std::int64_t ns,
               std::string_view left, const Visitor& visitor);
    // Nobody knows when the tasks left that run, on this thread if it is one.
    void leave_running(std::uint32_t thread, std::int64_t ns, std::string_view left,
                       const Visitor& visitor);
    Type& type_of(std::uint32_t stack);
    std::uint32_t take_lane(std::uint32_t stack);
    void release_lane(Task& task);

    const TimelineRank& rank_;
    std::vector<Lane> lanes_;
    std::unordered_map<std::string, Type> types_;
    std::unordered_map<std::uint32_t, Type*> type_of_stack_;
    std::unordered_map<std::uint64_t, Task> tasks_;  // that live
    std::set<std::uint64_t> running_;
};

bool has_tasks(const VfdFile& file);

// What joins where a task was created and its first run.
std::uint64_t creation_flow(const TimelineRank& rank, const TaskRun& run);

}  // namespace vftrace
