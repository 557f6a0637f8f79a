// The report of regions as a table: how long all threads of a host were in each region, and the
// energy used.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

void write_region_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

}  // namespace vftrace
