// What merging profiles of ranks needs to know beyond what a Profile holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct MergeDetails {
    // By function: how many functions of the same kind and name come before it on its rank, in the
    // order of module and offset. Kind, name and ordinal identify a function over all ranks, so
    // that the same program merges wherever its files lie, and static functions of one name stay
    // apart. Calls of CUDA have CUPTI's numbers in place of it.
    std::vector<std::uint32_t> ordinals;
    // By element of Profile::metric_values: of how many ranks it comes. Those of metrics that are
    // reduced to their mean are sums until the merging is over.
    std::vector<std::uint32_t> metric_ranks;
    // Names in RunInfo::parameters of which ranks have different values; the one there is that of
    // the lowest rank that has any. Each once.
    std::vector<std::string> ambiguous_parameters;
};

// The details of the profile of a single rank.
MergeDetails details_of(const Profile& own);

// Records that the profile is from the ranks `ranks_here`, in ascending order, unless these are
// all.
void note_missing_ranks(RunInfo& run, const std::vector<std::uint32_t>& ranks_here,
                        NoticeCode code);

// Ends the merging of all of a job's ranks, of which there are `ranks`: sorts what a Profile has
// sorted, takes means (over the ranks that have the value, each counting alike), and forgets which
// gave notice of something if all of them did or the numbers of all have been added up.
void finish_merge(Profile& profile, const MergeDetails& details, std::uint32_t ranks);

}  // namespace vftrace
