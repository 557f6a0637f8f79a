// Threads that run asynchronous tasks.
#pragma once

#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Nothing if there are none.
void write_task_loop_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
