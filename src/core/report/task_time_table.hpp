// Which types of tasks took the time in each interval between snapshots.
#pragma once

#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_task_snapshots(const Profile& profile);

// One row per interval and type, for the types with the most time in the whole run and for the
// rest.
void write_task_time_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
