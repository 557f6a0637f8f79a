// The work of the threads of a run, and its distribution over them in parallel regions. Each table
// writes its title, its rows and an empty line.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Whether there is more to show than in the other tables: more than one thread of a process
// recorded something, or there are metrics of threads.
bool has_thread_table(const Profile& profile);
// "Threads": those with the most time first, and one row for all that are not shown.
void write_thread_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                        TableOutput& out);

// How much longer the thread with the most work in a parallel region is busy than the mean of all
// threads, in per cent of the mean: 100 * (r - 1), where r is defined like the load imbalance of
// ranks (report/rank_tables.hpp): longest time / mean time. 0 if there is no work.
double imbalance_percent(const ParallelRegion& region);

// "OpenMP parallel regions": longest inclusive time first.
void write_parallel_region_table(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
