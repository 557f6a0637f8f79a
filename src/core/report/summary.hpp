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
// if any, and an empty line after them. With several ranks, the run time is that of the rank that
// writes; the overhead is by how much measuring made the run longer (so that application time,
// overhead and pauses add up to the run time), and its parts are in proportion to their cost on all
// threads and ranks. Times of CUDA are means over ranks; memory is the sum.
void write_summary(const Profile& profile, OutputFile& out);

}  // namespace vftrace
