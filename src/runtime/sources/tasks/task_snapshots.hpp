// Snapshots of the figures of all types of tasks, to be plotted over time: series of values.
#pragma once

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_task_snapshots(const Options& options);

// See vftrace_task_snapshot() in vftrace/tasks.h.
int task_snapshot();

// To be called once per process, when there are tasks: from then on, a snapshot is taken every
// task.snapshot_interval, if requested.
void start_task_snapshots();
// In a child of fork.
void forget_task_snapshots();
// To be called at the end of the run: takes the last snapshot.
void end_task_snapshots();

}  // namespace vftrace
