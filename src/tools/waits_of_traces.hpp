// Adds the waits of a run's traces to its profile: vftrace report analyses the traces for that.
#pragma once

#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "waits/analysis.hpp"

namespace vftrace::tools {

// analyse_waits() with its progress on the terminal and its remarks on stderr.
WaitAnalysis analyse_traces(const std::vector<std::string>& traces);

// The command that would show the waits of the traces next to the profile, by the names
// that a run gives its files; empty if there are none, or if the profile has waits already or is
// not of several ranks.
std::string command_for_waits(const std::string& file, const Profile& profile);

}  // namespace vftrace::tools
