// The functions that have no rows of their own: excluded by hand, or too small to be measured.
#pragma once

#include "base/output_file.hpp"
#include "profile/profile.hpp"
#include "report/report_options.hpp"

namespace vftrace {

// Whether there are any, and they are to be shown.
bool has_filtered_table(const Profile& profile, const ReportOptions& options);

// "Filtered functions": a row a function, those with most estimated time first.
void write_filtered_table(const Profile& profile, const ReportOptions& options, OutputFile& out);

}  // namespace vftrace
