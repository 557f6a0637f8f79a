// Wait states and the critical path of a run, from the traces of its ranks. For tools.
//
//   operations of all ranks ──merged by time──> MessageWaits, CollectiveWaits ──> list of waits
//   waits, by their ends ──backwards──> critical path
//   samples of each rank + waits of other ranks for it ──> causes of waits (Blame)
//
// Memory: operations that do not have a counterpart yet, one buffer per file, and a few words per
// call path. A long list of waits is kept in a temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "waits/collective_waits.hpp"
#include "waits/message_waits.hpp"

namespace vftrace {

struct WaitAnalysis {
    // The run's call paths, and the lists wait_states, wait_causes and critical_path.
    Profile profile;
    // Sentences without a full stop: about assumptions and missing data.
    std::vector<std::string> remarks;
    MessageCounts messages;
    CollectiveCounts collectives;
    std::uint64_t operations = 0, samples = 0;  // numbers read
    std::int64_t critical_ns = 0;               // of the whole critical path
};

// `progress` receives the completed fraction, 0 to 1. Throws WaitsError, VfdError, or
// std::runtime_error if there is no room for a temporary file.
WaitAnalysis analyse_waits(const std::vector<std::string>& files,
                           const std::function<void(double)>& progress);

// Whether the traces and the profile are from the same run.
bool is_of_same_run(const WaitAnalysis& analysis, const Profile& profile);

// Puts the lists of an analysis into the profile of the same run, with the profile's numbers of
// call paths: figures of paths that the profile does not have, such as those of functions that lost
// their hooks, are added to their callers. Replaces the results of an earlier analysis. Throws
// WaitsError if the profile is not from the same run.
void add_to_profile(const WaitAnalysis& analysis, Profile& profile);

}  // namespace vftrace
