// The tables of a profile, each of which writes its title, its rows and an empty line, unless said
// otherwise. report/views.cpp determines when each of them is shown. Those that other rooms and
// tests also need have their own headers.
//
// Rows that are equal in the sort column are in the order of their STIDs.
#pragma once

#include <vector>

#include "profile/profile.hpp"
#include "profile/waiting.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// profile_tables.cpp
void write_runtime_profile(const Profile& profile, const PathText& text,
                           const ReportOptions& options, LogScope scope, TableOutput& out);
void write_name_grouped_profile(const Profile& profile, const PathText& text,
                                const ReportOptions& options, TableOutput& out);
void write_call_stacks(const Profile& profile, const PathText& text, TableOutput& out);

// annotation_tables.cpp
// What was annotated for other tools: regions, memory, values, metadata.
void write_annotation_tables(const Profile& profile, const PathText& text,
                             const ReportOptions& options, TableOutput& out);

// section_tables.cpp
// The tables that options.sections asks for.
void write_section_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out);

// filtered_table.cpp
// "Filtered functions": one row per function, those with the most estimated time first.
void write_filtered_table(const Profile& profile, const ReportOptions& options, TableOutput& out);

// task_tables.cpp
// One row per type of task, the one with the most own time first.
void write_task_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

// task_loop_table.cpp
// Nothing if there are none.
void write_task_loop_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out);

// task_time_table.cpp
bool has_task_snapshots(const Profile& profile);

// One row per interval and type, for the types with the most time in the whole run and for the
// rest.
void write_task_time_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out);

// snapshot_table.cpp
bool has_snapshots(const Profile& profile);

void write_snapshot_table(const Profile& profile, TableOutput& out);

// communication_profile.cpp
// Whether MPI was used, or there were any messages.
bool has_communication_profile(const Profile& profile);

// One row for each path with messages.
void write_communication_profile(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, TableOutput& out);

// message_tables.cpp
// One row for each pair of ranks that communicated, most bytes first. The two sides of a message
// are recorded by two calls: "Sent" is what the calls of the sending rank recorded, "Received" what
// those of the receiving rank recorded. Only one of them records a one-sided message.
void write_communication_matrix(const Profile& profile, const ReportOptions& options,
                                TableOutput& out);

// One row for each size from the smallest to the largest that occurs, with a bar as long as the
// number of messages sent (or received, if that is more).
void write_message_sizes(const Profile& profile, TableOutput& out);

// metric_tables.cpp
bool has_metric_tables(const Profile& profile);

// The paths with the most of a table's first metric come first.
void write_metric_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

// latency_table.cpp
bool has_latencies(const Profile& profile);
// Call paths with enough calls, those with the longest inclusive time first.
void write_latency_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

// heap_tables.cpp
// Which paths had most memory at the peak, which allocated most, and the peak of each rank.
void write_heap_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

// file_tables.cpp
// Which files were read and written, by which call paths, and the bytes of each rank that were not
// seen.
void write_file_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

// placement_table.cpp
// Which threads touched large blocks first, and which use them; nothing if that was not recorded.
void write_placement_table(const Profile& profile, const PathText& text,
                           const ReportOptions& options, TableOutput& out);

// binding_table.cpp
bool has_binding(const Profile& profile);
void write_binding_table(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

// lock_tables.cpp
// `paths`: path_waits(profile).
void write_lock_tables(const Profile& profile, const std::vector<PathWaits>& paths,
                       const PathText& text, const ReportOptions& options, TableOutput& out);

// waiting_tables.cpp
// Where threads waited and where they were displaced, those with the most time first, the locks,
// and the states of each thread.
void write_waiting_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, TableOutput& out);

// process_tables.cpp
bool has_process_tables(const Profile& profile);
// Whether some of them are in logs.
bool has_process_tables_of_logs(const Profile& profile);

// Writes one table per source for single values of ranks, and one per metric for values over time.
// Of many ranks, those with the largest values are shown. Tables of quiet sources
// (record/sources.inc) are only written if options.show_everything.
void write_process_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

// host_tables.cpp
bool has_host_tables(const Profile& profile);
// Whether some of them are in logs.
bool has_host_tables_of_logs(const Profile& profile);

// Writes those of quiet sources (record/sources.inc) only if options.show_everything.
void write_host_tables(const Profile& profile, const ReportOptions& options, TableOutput& out);

// region_tables.cpp
void write_region_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                         TableOutput& out);

// counter_tables.cpp
// Whether counters were read, or observables computed.
bool has_counter_tables(const Profile& profile);

// "HWProf - Observables (Perf)", "HWProf - Hardware Counters (Perf)" and their sums, as far as they
// are requested. A row is a call path that read the counters itself. Its figures are exclusive:
// without the counts of paths below it that have their own readings, but with those of paths below
// it without readings. Observables are computed from the sums of the counters over threads and
// ranks. Errors of a formula are printed below the table, whose column is left out.
void write_counter_tables(const Profile& profile, const PathText& text,
                          const ReportOptions& options, LogScope scope, TableOutput& out);

}  // namespace vftrace
