// The beginning of every text log: version, dates, licence, and the figures of the whole run.
#pragma once

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Version, application, dates in local time, licence; an empty line.
void write_log_header(const RunInfo& run, OutputFile& out);

// Ranks, threads, how the program ended, run time, overhead, memory; an empty line; the warnings,
// if any, and an empty line after them. Of several ranks the run time is that of the rank that
// writes, overhead and the times of CUDA are means over ranks and memory the sum.
void write_summary(const Profile& profile, OutputFile& out);

}  // namespace vftrace
