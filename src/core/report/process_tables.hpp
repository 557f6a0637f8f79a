// Measurements of whole processes, single values and series, by rank.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

bool has_process_tables(const Profile& profile);
// Whether some of them are in logs.
bool has_process_tables_of_logs(const Profile& profile);

// Writes one table per source for single values of ranks, and one per metric for values over time.
// Of many ranks, those with the largest values are shown. Tables of quiet sources
// (record/sources.inc) are only written if options.show_everything.
void write_process_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
