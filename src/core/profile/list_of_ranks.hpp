// Numbers of ranks in a sentence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vftrace {

// "rank 3", "ranks 1, 2, 3 and 12 more": names the first eight.
std::string list_of_ranks(const std::vector<std::uint32_t>& ranks);

}  // namespace vftrace
