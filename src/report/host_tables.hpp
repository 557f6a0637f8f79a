// What sources have measured of hosts and their devices.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_host_tables(const Profile& profile);

void write_host_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
