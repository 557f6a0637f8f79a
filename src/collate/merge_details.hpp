// What merging profiles of ranks needs to know beyond what a Profile holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// A sentence of RunInfo::warnings and who said it.
struct RankWarning {
    std::string text;
    std::uint32_t ranks = 1;
    std::uint32_t first_rank = 0;
};

struct MergeDetails {
    // By function: how many functions of the same kind and name come before it on its rank, in the
    // order of module and offset. Kind, name and ordinal identify a function over all ranks, so
    // that the same program merges wherever its files lie, and static functions of one name stay
    // apart. Calls of CUDA have CUPTI's numbers in place of it.
    std::vector<std::uint32_t> ordinals;
    // Each text once, by first rank; at most most_warnings.
    std::vector<RankWarning> warnings;
    std::uint64_t warnings_left_out = 0;  // every rank's counted
    // By element of Profile::metric_values: of how many ranks it comes. Those of metrics that are
    // reduced to their mean are sums until the merging is over.
    std::vector<std::uint32_t> metric_ranks;
};

// A large job may warn of something else on every rank, and all of it has to fit into every rank.
inline constexpr std::size_t most_warnings = 100;

// Puts the incidents of a profile that is complete among its warnings.
void tell_incidents(RunInfo& run);

// The details of the profile of a single rank.
MergeDetails details_of(const Profile& own, std::uint32_t rank);

// Ends the merging of all of a job's ranks, of which there are `ranks`: sorts what a Profile has
// sorted, takes means (over the ranks that have the value, each counting alike), and puts the
// warnings into words ("... (on 3 ranks)" if not all of them said so).
void finish_merge(Profile& profile, const MergeDetails& details, std::uint32_t ranks);

}  // namespace vftrace
