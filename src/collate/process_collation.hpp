// Figures of processes, now and over time, in the messages that ranks send each other.
//
// Every rank keeps its own. So that the profile of a large job stays small, points of its series
// become fewer: those of one rank have the full number, those of ten thousand a handful each.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Points of all series of a job together, unless each has no more than the fewest.
inline constexpr std::size_t most_series_points = 1 << 16, fewest_series_points = 8;

void write_process_figures(ByteWriter& out, const Profile& profile);

// Adds both lists of a message to the profile's; metric_of[i] is the profile's metric for metric i
// of the message. The reader has failed if the message is damaged.
void add_process_figures(ByteReader& in, const std::vector<std::uint32_t>& metric_of,
                         Profile& profile);

// Sorts both lists as a Profile has them.
void sort_process_figures(Profile& profile);

}  // namespace vftrace
