// Task events in the trace.
#pragma once

#include "record/task_moments.hpp"
#include "tasks/live_tasks.hpp"
#include "tree/event_buffer.hpp"

namespace vftrace {

// Writes an event, if the calling thread is traced and the task has figures. `state`: nullptr if
// the thread is not recorded. The task belongs to the caller: it has just been created, or runs on
// this thread, or the thread is leaving it, or it is about to be given back.
inline void trace_task(ThreadState* state, const Task& task, TaskMoment moment,
                       std::uint64_t ticks) {
    if (!state || !is_traced(*state) || task.is_internal) [[likely]]
        return;
    const TaskRecord record = {ticks, id_of(task), task.node->number, moment};
    trace_record(*state, RecordKind::task, thread_of(task.node), 0, &record, sizeof record);
}

}  // namespace vftrace
