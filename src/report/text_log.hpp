// The text logs: header, summary, tables and configuration, in the layout of Vftrace 2.0.
#pragma once

#include <string>

#include "base/output_file.hpp"
#include "profile/profile.hpp"
#include "report/report_options.hpp"

namespace vftrace {

// Writes a whole log. Returns out.error(): 0 or an errno; the file stays open.
int write_text_log(const Profile& profile, const ReportOptions& options, LogScope scope,
                   OutputFile& out);

// What went wrong with the first file that could not be written.
struct LogFailure {
    int error = 0;  // errno; 0: nothing went wrong
    std::string path;
};

// Writes the summary log `<base>all.log` and, with options.separate, `<base>all_minmax.log`,
// `<base>all_namegroup.log`, `<base>all_mpi.log`, `<base>all_cuda.log`, `<base>all_threads.log`,
// `<base>all_openmp.log` and `<base>all_hwprof.log`, as far as there is something to say in them.
// `base` is "directory/name_". A file that fails does not keep the others from being written.
LogFailure write_all_logs(const Profile& profile, const ReportOptions& options,
                          const std::string& base);

// Writes `<base><rank>.log` for the rank that the profile is about and, with options.separate,
// the same further files but minmax and namegroup. The rank is padded with zeros to the number of
// digits of the number of ranks.
LogFailure write_rank_log(const Profile& profile, const ReportOptions& options,
                          const std::string& base);

// The rank as it stands in file names: padded with zeros to the digits of the number of ranks.
std::string rank_text(const RunInfo& run);

}  // namespace vftrace
