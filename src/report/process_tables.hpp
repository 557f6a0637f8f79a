// Measurements of whole processes, single values and series, by rank.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_process_tables(const Profile& profile);
// Some of them are in logs.
bool has_process_tables_of_logs(const Profile& profile);

// A table a source of what ranks have one value of, and one a metric of what they have over time.
// Of many ranks those with the largest values are shown. Those of quiet sources
// (record/sources.inc) only if options.show_everything.
void write_process_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
