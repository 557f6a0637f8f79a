// The tables of hardware counters and of the figures that are computed from them.
//
// A row is a call path that read the counters itself. Its figures are exclusive: without the counts
// of paths below it that have their own readings, but with those of paths below it without
// readings. Observables are computed from the sums of the counters over threads and ranks.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Whether counters were read, or observables computed.
bool has_counter_tables(const Profile& profile);

// "HWProf - Observables (Perf)", "HWProf - Hardware Counters (Perf)" and their sums, as far as they
// are requested. Errors of a formula are printed below the table, whose column is left out.
void write_counter_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, LogScope scope, TableOutput& out);

}  // namespace vftrace
