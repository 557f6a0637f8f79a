// Measurements of hosts and their devices.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_host_tables(const Profile& profile);
// Whether some of them are in logs.
bool has_host_tables_of_logs(const Profile& profile);

// Writes those of quiet sources (record/sources.inc) only if options.show_everything.
void write_host_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
