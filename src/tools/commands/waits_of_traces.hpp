// Adds the waits of a run's traces to its profile: vftrace report analyses the traces for this.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "waits/analysis.hpp"

namespace vftrace::tools {

// analyse_waits() with its progress on the terminal and its remarks on stderr.
WaitAnalysis analyse_traces(const std::vector<std::string>& traces);

// The command that would show the waits from the traces next to the profile, which are found by the
// names that a run gives its files; empty if there are no traces, or if the profile already has
// waits or does not have several ranks.
std::string command_for_waits(const std::string& file, const Profile& profile);

}  // namespace vftrace::tools
