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
    // that profiles of the same program can be merged wherever its files are, and static functions
    // with the same name stay separate. Calls of CUDA have CUPTI's numbers instead.
    std::vector<std::uint32_t> ordinals;
    // By element of Profile::metric_values: from how many ranks it comes. Those of metrics that are
    // reduced to their mean are sums until the merging is over.
    std::vector<std::uint32_t> metric_ranks;
    // Names in RunInfo::parameters for which ranks have different values; the value there is that
    // of the lowest rank that has one. Each name once.
    std::vector<std::string> ambiguous_parameters;
};

// The details of the profile of a single rank.
MergeDetails details_of(const Profile& own);

// Records that the profile is from the ranks `ranks_here`, in ascending order, unless these are
// all.
void note_missing_ranks(RunInfo& run, const std::vector<std::uint32_t>& ranks_here,
                        NoticeCode code);

// Completes the merging of all `ranks` ranks of a job: sorts the lists that are sorted in a
// Profile, takes means (over the ranks that have the value, with equal weights), and removes the
// ranks from notices that all of them gave or whose numbers have been added up.
void finish_merge(Profile& profile, const MergeDetails& details, std::uint32_t ranks);

}  // namespace vftrace
