#include "ab/trial.hpp"

#include <algorithm>

#include "compare/function_sums.hpp"
#include "findings/resource_figures.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

void add_functions(const Profile& profile, Trial& trial) {
    for (const auto& [name, in_profile] : function_sums(profile)) {
        TrialFunction& sum = trial.functions[name];
        sum.own_seconds += in_profile.own_seconds;
        sum.calls += in_profile.calls;
        sum.exact_calls &= in_profile.exact_calls;
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
