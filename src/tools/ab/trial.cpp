#include "ab/trial.hpp"

#include <algorithm>

#include "findings/resource_figures.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

void add_functions(const Profile& profile, Trial& trial) {
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        const Function& function = profile.functions[path.function];
        if (is_paused(profile, i) || function.kind == NodeKind::root)
            continue;
        TrialFunction& sum = trial.functions[function.display];
        sum.own_seconds += seconds(path.exclusive_ns);
        sum.calls += path.calls;
        sum.exact_calls &= has_exact_calls(path);
    }
    for (const FilteredFunction& filtered : profile.filtered)
        if (filtered.reason == FilterReason::budget)
            trial.without_hooks.insert(profile.functions[filtered.function].display);
}

}  // namespace

Trial trial_of(std::span<const Profile> profiles, const CommandTimes& times) {
    Trial trial;
    trial.command = times;
    for (const Profile& profile : profiles)
        add_functions(profile, trial);
    if (profiles.size() != 1)
        return trial;
    const Profile& profile = profiles.front();
    const ResourceFigures resources(profile);
    trial.waiting_share = resources.waiting_share();
    trial.stolen_share = resources.stolen_share();
    const double wall = seconds(profile.application_ns());
    if (wall > 0 && resources.processor_s() > 0)
        trial.program = {wall, resources.processor_s()};
    return trial;
}

}  // namespace vftrace
