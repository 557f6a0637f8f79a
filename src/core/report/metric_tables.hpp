// The metrics of call paths that sources without their own tables have measured: one table per
// source. Those of threads are columns of the table of threads.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_metric_tables(const Profile& profile);

// The paths with the most of a table's first metric come first.
void write_metric_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

}  // namespace vftrace
