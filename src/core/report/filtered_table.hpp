// The functions without rows of their own: excluded by the user, or too small to be measured.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// "Filtered functions": one row per function, those with the most estimated time first.
void write_filtered_table(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
