// The table "Communication profile": what the MPI calls of each path sent and received.
#pragma once

#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// Whether MPI was used, or there were any messages.
bool has_communication_profile(const Profile& profile);

// Writes its title, one row for each path with messages, and an empty line. Rows that are equal in
// its sort column are in the order of their STIDs.
void write_communication_profile(const Profile& profile, const PathText& text,
                                 const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
