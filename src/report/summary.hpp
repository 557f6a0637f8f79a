// The beginning of every text log: version, dates, licence, and the figures of the whole run.
#pragma once

#include <cstdint>
#include <string>

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// "Sat Nov 21 01:32:50 2026" in local time, in English whatever the locale.
std::string local_date(std::int64_t unix_ns);

// Version, application, dates in local time, licence; an empty line.
void write_log_header(const RunInfo& run, OutputFile& out);

// Ranks, threads, how the program ended, run time, overhead, memory; an empty line; the warnings,
// if any, and an empty line after them. Of several ranks the run time is that of the rank that
// writes, overhead what measuring made the run longer (so that application time, overhead and
// pauses are the run time), its parts in the proportion of what they cost on all threads and ranks.
// The times of CUDA are means over ranks and memory the sum.
void write_summary(const Profile& profile, OutputFile& out);

}  // namespace vftrace
