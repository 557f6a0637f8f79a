// The lists of a profile in the messages that ranks send each other, and their merging.
//
// Rows about the same thing are combined. Rows of ranks stay separate; of the threads and streams
// of a large job, those with the most time are kept.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include "base/index_table.hpp"
#include "collate/byte_stream.hpp"
#include "collate/row_codec.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The number of rows of threads, and of streams, that stay when the profiles of ranks are merged.
// The others become one row.
inline constexpr std::size_t most_rows = 1000;

// Writes the lists of profile_lists (profile/row_keys.hpp). Leaves out values of metrics by path,
// which need more details (collate/merge_details.hpp), the times of single threads in paths, which
// would be as large as the profiles of all ranks together, and values by rank, which belong to a
// whole job (collate/rank_values.hpp).
void write_lists(ByteWriter& out, const Profile& profile);

class ListMerger {
  public:
    // Adds the lists of a message to the profile's. The reader has failed if the message is
    // damaged.
    void add(ByteReader& in, const PlacesInProfile& places, Profile& profile);

  private:
    std::array<IndexTable, std::tuple_size_v<decltype(profile_lists)>> tables_;
};

// Sorts all lists as a Profile has them.
void sort_lists(Profile& profile);

}  // namespace vftrace
