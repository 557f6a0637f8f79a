// The points of series in the messages that ranks send each other.
//
// Every rank keeps its own series. To keep the profile of a large job small, the number of points
// decreases with the number of ranks: a single rank has the full number, ten thousand ranks have a
// handful each.
#pragma once

#include <cstddef>
#include <vector>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The most points that all series of a job have together, unless each has no more than the fewest.
inline constexpr std::size_t most_series_points = 1 << 16, fewest_series_points = 8;

void write_points(ByteWriter& out, const Series& series);
void read_points(ByteReader& in, Series& series);

void limit_points(std::vector<Series>& all, const std::vector<Metric>& metrics);

}  // namespace vftrace
