// Puts the results of an analysis into the profile of the same run.
#include <string>
#include <unordered_map>
#include <utility>

#include <fmt/core.h>

#include "collate/unite.hpp"
#include "waits/analysis.hpp"
#include "waits/run_traces.hpp"

namespace vftrace {
namespace {

// For each path of the analysis, its index in the profile.
std::vector<std::uint32_t> paths_in_profile(const Profile& analysed, const Profile& profile) {
    std::unordered_map<std::uint64_t, std::uint32_t> path_of_hash;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        path_of_hash.try_emplace(profile.paths[i].hash, i);
    std::vector<std::uint32_t> found;
    for (const Path& path : analysed.paths) {
        const auto known = path_of_hash.find(path.hash);
        found.push_back(known != path_of_hash.end() ? known->second
                        : path.parent == no_index   ? 0
                                                    : found[path.parent]);
    }
    return found;
}

}  // namespace

// Both contain the start time of their first process.
bool is_of_same_run(const WaitAnalysis& analysis, const Profile& of_run) {
    const RunInfo &traces = analysis.profile.run, &profile = of_run.run;
    constexpr std::int64_t hour_ns = 3'600'000'000'000;
    const std::int64_t between = traces.start_unix_ns - profile.start_unix_ns;
    const std::int64_t most = profile.runtime_ns + hour_ns / 60;
    return traces.ranks == profile.ranks && traces.application == profile.application &&
           between < most && between > -most;
}

void add_to_profile(const WaitAnalysis& analysis, Profile& profile) {
    const RunInfo& traced = analysis.profile.run;
    const RunInfo& run = profile.run;
    if (!is_of_same_run(analysis, profile))
        throw WaitsError(
            fmt::format("the traces are from {} with {} ranks, the profile is from {} with {}{}",
                        traced.application, traced.ranks, run.application, run.ranks,
                        traced.ranks == run.ranks && traced.application == run.application
                            ? " that was started at another time"
                            : ""));
    const std::vector<std::uint32_t> path_of = paths_in_profile(analysis.profile, profile);
    profile.run.shortest_wait_ns = traced.shortest_wait_ns;
    profile.wait_states = analysis.profile.wait_states;
    profile.wait_causes = analysis.profile.wait_causes;
    profile.critical_path = analysis.profile.critical_path;
    for (WaitState& row : profile.wait_states)
        row.path = path_of[row.path];
    for (WaitCause& row : profile.wait_causes) {
        row.path = path_of[row.path];
        row.waiting_path = path_of[row.waiting_path];
    }
    for (CriticalPath& row : profile.critical_path)
        row.path = path_of[row.path];
    sort_and_unite(profile.wait_states);
    sort_and_unite(profile.wait_causes);
    sort_and_unite(profile.critical_path);
}

}  // namespace vftrace
