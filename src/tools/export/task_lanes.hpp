// Asynchronous tasks on timelines: a lane for each live task, from its first run to its end, below
// those of the same type. The lane of an ended task is reused. If many tasks of a type live at once
// (waiting sessions), further ones have a lane only while they run, so that a type has at most
// `most_of_type` lanes plus one per thread. For tools.
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

// A run of a task without a pause, or the end of a task that did not run at the time (`start_ns`).
// Times are those of the file.
struct TaskRun {
    std::uint64_t task;
    std::uint32_t lane, stack, thread;  // `thread`: the one that ran or ended it
    std::int64_t start_ns, end_ns;
    std::string_view left;  // word of a TaskMoment: how it ended, or that it paused; or, if
                            // that is not known, "is running" (at the end) or "events are missing"
    bool has_run;           // otherwise it only ended
    bool is_first;          // the first run, and its place of creation is known
    std::uint32_t creator;  // thread that created it, if `is_first`
    std::int64_t created_ns;
};

class TaskLanes {
  public:
    using Visitor = std::function<void(const TaskRun&)>;

    // For a rank with tasks.
    explicit TaskLanes(const TimelineRank& rank) : rank_(rank) {}

    // Calls the visitor for all runs in the order of their ends; slices of a lane do not overlap.
    // Memory: a buffer for each thread with tasks, and the data of live tasks. Throws VfdError.
    void visit(const Visitor& visitor);

    // Lanes are numbered from 0 in the order in which they are needed.
    std::uint32_t count() const { return static_cast<std::uint32_t>(lanes_.size()); }
    // "task parse (server.c:40)"; for a further lane of the type "task parse (server.c:40) (2)".
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
        std::uint32_t stack;   // of one of the tasks of the type
        std::uint32_t number;  // among the lanes of the type, from 1
    };
    struct Type {
        std::vector<std::uint32_t> free;  // lanes
        std::uint32_t lanes = 0, kept = 0;
    };

    void take(const VfdTaskMoment& found, std::uint32_t thread, const Visitor& visitor);
    // Reports that a task no longer runs, or that it ended without running at the time.
    void leave(std::uint64_t id, Task& task, std::uint32_t thread, std::int64_t ns,
               std::string_view left, const Visitor& visitor);
    // Ends the runs of all tasks that are running, on this thread unless it is any_thread: it is
    // not known when they ended.
    void leave_running(std::uint32_t thread, std::int64_t ns, std::string_view left,
                       const Visitor& visitor);
    Type& type_of(std::uint32_t stack);
    std::uint32_t take_lane(std::uint32_t stack);
    void release_lane(Task& task);

    const TimelineRank& rank_;
    std::vector<Lane> lanes_;
    std::unordered_map<std::string, Type> types_;
    std::unordered_map<std::uint32_t, Type*> type_of_stack_;
    std::unordered_map<std::uint64_t, Task> tasks_;  // live ones
    std::set<std::uint64_t> running_;
};

bool has_tasks(const VfdFile& file);

// The identifier that connects the creation of a task with its first run.
std::uint64_t creation_flow(const TimelineRank& rank, const TaskRun& run);

}  // namespace vftrace
