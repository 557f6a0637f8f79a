// Threads and parallel regions in the messages that ranks send each other, and their merging.
//
// Every thread keeps its row, for it is no other rank's; of a large job those with most time.
// Parallel regions of one path become one.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// So many rows of threads stay when the profiles of ranks are merged. The others become one row.
inline constexpr std::size_t most_thread_rows = 1000;

// Writes both lists. What threads spent in which path is not sent: it would be as large as the
// profiles of all ranks together.
void write_threads(ByteWriter& out, const Profile& profile);

class ThreadMerger {
  public:
    // Adds both lists of a message to the profile's. path_of[i] is the profile's path for path i of
    // the message, metric_of[i] its metric i. The reader has failed if the message is damaged.
    void add(ByteReader& in, const std::vector<std::uint32_t>& path_of,
             const std::vector<std::uint32_t>& metric_of, Profile& profile);

  private:
    void add_region(const ParallelRegion& region, std::vector<ParallelRegion>& regions);

    std::vector<std::uint32_t> region_of_;  // by path: index of its region, or no_index
};

// Sorts both lists as a Profile has them.
void sort_threads(Profile& profile);

}  // namespace vftrace
