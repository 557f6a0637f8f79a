// The tables of a text log: runtime profile, the same grouped by function name, call stacks.
//
// Each writes its title, the table and an empty line. Rows that are equal in the sort column are in
// the order of their STIDs.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

void write_runtime_profile(const Profile& profile, const PathText& text,
                           const ReportOptions& options, LogScope scope, TableOutput& out);
void write_name_grouped_profile(const Profile& profile, const PathText& text,
                                const ReportOptions& options, TableOutput& out);
void write_call_stacks(const Profile& profile, const PathText& text, TableOutput& out);

}  // namespace vftrace
