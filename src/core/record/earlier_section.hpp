// Sections of the earlier run that this one continues (section.accumulate), as stored in memory and
// in the file of the process.
//
// Each process has all of these sections, with an equal share of each figure, so that the shares of
// all ranks add up to the whole.
#pragma once

#include <cstdint>

namespace vftrace {

struct EarlierSectionRecord {
    std::uint64_t id, parent;  // see EarlierSection in profile/profile.hpp
    const char* name;
    std::uint64_t calls;
    std::int64_t self_ns;
    std::int64_t self_memory;                        // bytes
    std::int64_t longest_self_ns, longest_total_ns;  // of one rank
    std::uint32_t level, place;
};

// The share that one of several ranks has of a sum; the remainder goes to the first ranks.
constexpr std::int64_t share_of_rank(std::int64_t sum, std::uint32_t rank, std::uint32_t ranks) {
    const std::int64_t rest = sum % ranks;
    const std::int64_t more = rest > 0 && rank < rest ? 1 : rest < 0 && rank < -rest ? -1 : 0;
    return sum / ranks + more;
}
constexpr std::uint64_t share_of_rank(std::uint64_t sum, std::uint32_t rank, std::uint32_t ranks) {
    return sum / ranks + (rank < sum % ranks ? 1 : 0);
}

}  // namespace vftrace
