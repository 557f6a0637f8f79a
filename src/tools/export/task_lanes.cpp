#include "export/task_lanes.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include <fmt/core.h>

namespace vftrace {
namespace {

constexpr std::uint32_t any_thread = no_index;
constexpr std::string_view events_are_missing = "events are missing";

// The events of the tasks of all threads, by time.
class MomentsByTime {
  public:
    explicit MomentsByTime(const VfdFile& file) {
        for (std::uint32_t thread = 0; thread < file.threads().size(); thread++)
            if (file.task_moment_count(thread) > 0) {
                streams_.push_back({file.task_moments(thread), {}, thread});
                add(streams_.size() - 1);
            }
    }

    bool next(VfdTaskMoment& found, std::uint32_t& thread) {
        if (first_.empty())
            return false;
        const std::size_t stream = first_.top().second;
        first_.pop();
        found = streams_[stream].next;
        thread = streams_[stream].thread;
        add(stream);
        return true;
    }

  private:
    struct Stream {
        VfdTaskMomentStream stream;
        VfdTaskMoment next;
        std::uint32_t thread;
    };
    using TimeAndStream = std::pair<std::int64_t, std::size_t>;

    void add(std::size_t stream) {
        VfdTaskMoment& next = streams_[stream].next;
        if (!streams_[stream].stream.next(next))
            return;
        const std::int64_t ns = next.ns;
        first_.emplace(ns, stream);
    }

    std::vector<Stream> streams_;
    std::priority_queue<TimeAndStream, std::vector<TimeAndStream>, std::greater<>> first_;
};

}  // namespace

TaskLanes::Type& TaskLanes::type_of(std::uint32_t stack) {
    Type*& type = type_of_stack_[stack];
    if (!type)
        type = &types_[rank_.name_of(stack)];
    return *type;
}

std::uint32_t TaskLanes::take_lane(std::uint32_t stack) {
    Type& type = type_of(stack);
    if (type.free.empty()) {
        type.free.push_back(count());
        lanes_.push_back({stack, ++type.lanes});
    }
    // Takes the first free lane of the type, so that few lanes are in use, and these are well
    // filled.
    const auto first = std::min_element(type.free.begin(), type.free.end());
    const std::uint32_t lane = *first;
    type.free.erase(first);
    return lane;
}

void TaskLanes::release_lane(Task& task) {
    if (task.lane == none)
        return;
    Type& type = type_of(task.stack);
    type.free.push_back(task.lane);
    type.kept -= task.keeps_lane;
    task.lane = none;
    task.keeps_lane = false;
}

void TaskLanes::leave(std::uint64_t id, Task& task, std::uint32_t thread, std::int64_t ns,
                      std::string_view left, const Visitor& visitor) {
    if (task.lane == none)
        task.lane = take_lane(task.stack);
    const bool runs = task.is_running;
    visitor({id, task.lane, task.stack, runs ? task.runner : thread, runs ? task.start_ns : ns, ns,
             left, runs, runs && !task.has_run && task.is_created, task.creator, task.created_ns});
    task.has_run |= runs;
    task.is_running = false;
    running_.erase(id);
    if (!task.keeps_lane)
        release_lane(task);
}

void TaskLanes::leave_running(std::uint32_t thread, std::int64_t ns, std::string_view left,
                              const Visitor& visitor) {
    for (auto next = running_.begin(); next != running_.end();) {
        const std::uint64_t id = *next++;
        Task& task = tasks_.at(id);
        if (thread == any_thread || task.runner == thread)
            leave(id, task, thread, std::max(ns, task.start_ns), left, visitor);
    }
}

void TaskLanes::take(const VfdTaskMoment& found, std::uint32_t thread, const Visitor& visitor) {
    const auto moment = static_cast<TaskMoment>(found.moment);
    const std::uint64_t id = found.task;
    const std::int64_t ns = found.ns;
    if (moment == TaskMoment::paused && !tasks_.contains(id))
        return;  // it was given to another thread, which has ended it
    Task& task = tasks_.try_emplace(id, Task{found.stack}).first->second;
    // Its run has ended by now: the event is missing, or its thread had passed the task on before
    // leaving it.
    if (task.is_running && (moment == TaskMoment::created || moment == TaskMoment::run))
        leave(id, task, thread, ns,
              task.runner == thread ? events_are_missing : word_of(TaskMoment::paused), visitor);
    switch (moment) {
    case TaskMoment::created:
        release_lane(task);
        task = Task{found.stack};
        task.is_created = true;
        task.creator = thread;
        task.created_ns = ns;
        break;
    case TaskMoment::run:
        task.is_running = true;
        task.runner = thread;
        task.start_ns = ns;
        running_.insert(id);
        if (task.lane == none) {
            Type& type = type_of(task.stack);
            task.keeps_lane = type.kept < most_of_type;
            type.kept += task.keeps_lane;
            task.lane = take_lane(task.stack);
        }
        break;
    case TaskMoment::paused:
        if (task.is_running && task.runner == thread)
            leave(id, task, thread, ns, word_of(moment), visitor);
        break;
    case TaskMoment::completed:
    case TaskMoment::failed:
    case TaskMoment::cancelled:
        leave(id, task, thread, ns, word_of(moment), visitor);
        release_lane(task);
        tasks_.erase(id);
        break;
    }
}

void TaskLanes::visit(const Visitor& visitor) {
    std::vector<VfdGap> gaps;  // gaps with missing events
    for (const VfdGap& gap : rank_.file->extension().gaps)
        if (gap.events > 0)
            gaps.push_back(gap);
    std::sort(gaps.begin(), gaps.end(),
              [](const VfdGap& a, const VfdGap& b) { return a.start_ns < b.start_ns; });
    auto gap = gaps.begin();
    MomentsByTime moments(*rank_.file);
    VfdTaskMoment found;
    std::int64_t end_ns = end_of_run_ns(*rank_.file);
    for (std::uint32_t thread; moments.next(found, thread);) {
        for (; gap != gaps.end() && gap->start_ns < found.ns; ++gap)
            leave_running(gap->thread, gap->start_ns, events_are_missing, visitor);
        take(found, thread, visitor);
        end_ns = std::max<std::int64_t>(end_ns, found.ns);
    }
    leave_running(any_thread, end_ns, "is running", visitor);
}

std::string TaskLanes::name(std::uint32_t lane) const {
    const std::string name = "task " + rank_.name_of(lanes_[lane].stack);
    return lanes_[lane].number == 1 ? name : fmt::format("{} ({})", name, lanes_[lane].number);
}

bool has_tasks(const VfdFile& file) {
    for (std::uint32_t thread = 0; thread < file.threads().size(); thread++)
        if (file.task_moment_count(thread) > 0)
            return true;
    return false;
}

std::uint64_t creation_flow(const TimelineRank& rank, const TaskRun& run) {
    constexpr std::uint64_t creations = std::uint64_t{1} << 62;
    return mixed_number(creations | rank.rank, run.task,
                        static_cast<std::uint64_t>(run.created_ns));
}

}  // namespace vftrace
