// Who sent how much to whom, and how large the messages were: tables of point-to-point and
// one-sided messages that `vftrace report` prints on demand.
#pragma once

#include <cstddef>

#include "base/output_file.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// One row for each pair of ranks that talked, most bytes first; at most `max_rows` rows unless that
// is 0. The two sides of a message are recorded by two calls: "Sent" is what the calls of the
// sending rank say, "Received" what those of the receiving rank say. Only one of them knows of a
// one-sided message.
void write_communication_matrix(const Profile& profile, std::size_t max_rows, OutputFile& out);

// One row for each size from the smallest to the largest that occurs, with a bar as long as the
// number of messages sent (or received, where that is more).
void write_message_sizes(const Profile& profile, OutputFile& out);

}  // namespace vftrace
