// What GPUs did, in the messages that ranks send each other, and its merging.
//
// Work of one path, kernel and kind becomes one. Every GPU keeps its row, and every stream, of a
// large job those with most time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/index_table.hpp"
#include "collate/byte_stream.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// So many rows of streams stay when the profiles of ranks are merged. The others become one row.
inline constexpr std::size_t most_stream_rows = 1000;

// Writes all that the profile has about GPUs but for RunInfo.
void write_gpu(ByteWriter& out, const Profile& profile);

class GpuMerger {
  public:
    // Adds what a message has to the profile's lists. path_of and function_of: the profile's paths
    // and functions for those of the message. The reader has failed if the message is damaged.
    void add(ByteReader& in, const std::vector<std::uint32_t>& path_of,
             const std::vector<std::uint32_t>& function_of, Profile& profile);

  private:
    void add_function(const GpuFunction& function, std::vector<GpuFunction>& functions);
    void add_work(const PathGpuWork& work, std::vector<PathGpuWork>& all);
    void add_offload(const PathOffload& work, std::vector<PathOffload>& all);

    IndexTable functions_, work_, offload_;
};

// Sorts the lists as a Profile has them.
void sort_gpu(Profile& profile);

}  // namespace vftrace
