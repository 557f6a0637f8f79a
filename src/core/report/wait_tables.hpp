// Results of the analysis of traces (doc/waits.md): wait states, their causes, and the critical
// path.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Whether the traces of the run have been analysed.
bool has_wait_tables(const Profile& profile);
// "Wait states", "Causes of waiting" and "Critical path", by rank and path.
void write_wait_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out);

}  // namespace vftrace
