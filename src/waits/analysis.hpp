// Wait states and the critical path of a run, from the traces of its ranks. For tools.
//
//   operations of all ranks ──merged by time──> MessageWaits, CollectiveWaits ──> list of waits
//   waits, by their ends ──backwards──> critical path
//   samples of each rank + what others waited for there ──> causes of waits (Blame)
//
// Memory: operations without a counterpart so far, one buffer per file, a few words per call path.
// A long list of waits is kept in a temporary file.
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
    // Sentences without a full stop: what was assumed, what is missing.
    std::vector<std::string> remarks;
    MessageCounts messages;
    CollectiveCounts collectives;
    std::uint64_t operations = 0, samples = 0;  // that were read
    std::int64_t critical_ns = 0;               // of the whole critical path
};

// `progress` receives the completed fraction, 0 to 1. Throws WaitsError, VfdError, or
// std::runtime_error if there is no room for a temporary file.
WaitAnalysis analyse_waits(const std::vector<std::string>& files,
                           const std::function<void(double)>& progress);

// Whether the traces are from the run of the profile.
bool is_of_same_run(const WaitAnalysis& analysis, const Profile& profile);

// Puts the lists of an analysis into the profile of the same run, with its numbers of call paths:
// what the profile does not have, functions that lost their hooks, is given to the callers that it
// has. Replaces what it has of another analysis. Throws WaitsError if it is not of the same run.
void add_to_profile(const WaitAnalysis& analysis, Profile& profile);

}  // namespace vftrace
