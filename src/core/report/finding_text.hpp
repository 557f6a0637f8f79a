// Findings and the quality of the measurement, as logs and commands show them.
#pragma once

#include "base/output_file.hpp"
#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// The part below the summary of a log: nothing if nothing is wrong.
void write_findings_of_log(const Profile& profile, const ReportOptions& options, TableOutput& out);

// The same, with a remark if nothing was found, and at most options.max_rows findings; for scripts
// the tables "findings" and "quality".
void write_findings(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
