// The beginning of every text log: version, dates, licence, and the figures of the whole run.
#pragma once

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Version, application, dates in local time, licence; an empty line.
void write_log_header(const RunInfo& run, OutputFile& out);

// Run time, overhead, memory; an empty line; the warnings, if any, and an empty line after them.
void write_summary(const RunInfo& run, OutputFile& out);

}  // namespace vftrace
