// Which asynchronous tasks took the time.
#pragma once

#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// One row per type of task, the one with the most own time first.
void write_task_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

}  // namespace vftrace
