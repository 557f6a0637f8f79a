// The communication matrix and the sizes of messages: tables of point-to-point and one-sided
// messages that `vftrace report` prints on demand.
#pragma once

#include "profile/profile.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// One row for each pair of ranks that communicated, most bytes first. The two sides of a message
// are recorded by two calls: "Sent" is what the calls of the sending rank recorded, "Received" what
// those of the receiving rank recorded. Only one of them records a one-sided message.
void write_communication_matrix(const Profile& profile, const ReportOptions& options,
                                TableOutput& out);

// One row for each size from the smallest to the largest that occurs, with a bar as long as the
// number of messages sent (or received, if that is more).
void write_message_sizes(const Profile& profile, TableOutput& out);

}  // namespace vftrace
