// The figures of tasks for Prometheus, in a file that the node exporter's textfile collector reads.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tasks/live_task_ranks.hpp"

namespace vftrace {

struct Options;  // config/options.hpp

void prepare_task_prometheus(const Options& options);

// To be called once per process, when there are tasks: from then on, the file is written every
// task.prometheus_interval, if requested.
void start_task_prometheus();
// To be called at the end of the run: writes the final figures.
void end_task_prometheus();

// The text of such a file. `rank`: nullptr, or a label that all samples have.
std::string prometheus_text(const std::vector<LiveTaskRank>& ranks, const std::string* rank);

}  // namespace vftrace
