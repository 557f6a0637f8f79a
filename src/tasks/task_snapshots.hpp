// Snapshots of the figures of all types of tasks, to be plotted over time: series of values.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_task_snapshots(const Options& options);

// As vftrace_task_snapshot() in vftrace/tasks.h says.
int task_snapshot();

// There are tasks: from now on one each task.snapshot_interval, if that is wanted. Once a process.
void start_task_snapshots();
// In a child of fork.
void forget_task_snapshots();
// The run is over: a last one.
void end_task_snapshots();

}  // namespace vftrace
