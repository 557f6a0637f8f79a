// The text logs: header, summary, tables and configuration, in the layout of Vftrace 2.0.
#pragma once

#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Writes the tables of a log to `out`, without the parts above them.
void write_log_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                      LogScope scope, TableOutput& out);

// Writes a whole log. Returns out.error(): 0 or an errno; the file stays open.
int write_text_log(const Profile& profile, const ReportOptions& options, LogScope scope,
                   OutputFile& out);

// Writes the summary log `<base>all.log` and, with options.separate, `<base>all_minmax.log`,
// `<base>all_namegroup.log`, `<base>all_mpi.log`, `<base>all_cuda.log`, `<base>all_threads.log`,
// `<base>all_openmp.log` and `<base>all_hwprof.log`, as far as there is something to show in them.
// `base` is "directory/name_". They are added to `files`, which publishes them.
void write_all_logs(const Profile& profile, const ReportOptions& options, const std::string& base,
                    NewFiles& files);

// Writes `<base><rank>.log` for the rank that the profile is about and, with options.separate,
// the same further files, except minmax and namegroup. The rank is padded with zeros to the number
// of digits of the number of ranks.
void write_rank_log(const Profile& profile, const ReportOptions& options, const std::string& base,
                    NewFiles& files);

// The names of all logs that may be written for "all" or a rank: `<stem>.log`, `<stem>_mpi.log`
// etc.
std::vector<std::string> log_names(const std::string& stem);

// The rank as in file names: padded with zeros to the digits of the number of ranks.
std::string rank_text(const RunInfo& run);

}  // namespace vftrace
