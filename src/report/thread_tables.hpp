// Who did how much: the threads of a run, and how the work in parallel regions was spread over
// them. Each table writes its title, its rows and an empty line.
#pragma once

#include <cstddef>

#include "base/output_file.hpp"
#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"

namespace vftrace {

// Whether it is asked for and more than one thread of a process recorded something.
bool has_thread_table(const Profile& profile, const ReportOptions& options);
// "Threads": those with most time first, at most `max_rows` of them unless that is 0; one more row
// for all others.
void write_thread_table(const Profile& profile, const PathText& text, std::size_t max_rows,
                        OutputFile& out);

// How much longer the thread with most work in a parallel region is busy than the mean of all
// threads, in per cent of the mean. 100 * (r - 1) where r is what the load imbalance of ranks is
// (report/rank_tables.hpp): longest time / mean time. 0 if nobody does anything.
double imbalance_percent(const ParallelRegion& region);

// Whether it is asked for and there are any.
bool has_parallel_region_table(const Profile& profile, const ReportOptions& options);
// "OpenMP parallel regions": longest inclusive time first, at most `max_rows` unless that is 0.
void write_parallel_region_table(const Profile& profile, const PathText& text, std::size_t max_rows,
                                 OutputFile& out);

}  // namespace vftrace
