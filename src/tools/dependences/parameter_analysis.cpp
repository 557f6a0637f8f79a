// Sets of parameters, and which parameters are used at all.
#include "dependences/parameter_analysis.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace vftrace {

ParameterSet united(const ParameterSet& a, const ParameterSet& b) {
    ParameterSet both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both;
}

void add_maximal(std::vector<ParameterSet>& sets, ParameterSet set) {
    const auto holds = [](const ParameterSet& larger, const ParameterSet& smaller) {
        return std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end());
    };
    for (const ParameterSet& known : sets)
        if (holds(known, set))
            return;
    std::erase_if(sets, [&](const ParameterSet& known) { return holds(set, known); });
    sets.push_back(std::move(set));
}

ParameterSet unused_parameters(const ParameterAnalysis& analysis) {
    std::vector<bool> used(analysis.parameters.size());
    const auto use = [&](const ParameterSet& set) {
        for (const std::uint32_t parameter : set)
            used[parameter] = true;
    };
    for (const ProfiledFunction& function : analysis.profiled)
        for (const LoopProfile& profile : function.profiles)
            visit_loops(profile.loops, [&](const Loop& loop) {
                for (const ParameterSet& set : loop.params)
                    use(set);
                for (const auto& [number, set] : loop.branches)
                    use(set);
            });
    ParameterSet unused;
    for (std::uint32_t i = 0; i < used.size(); i++)
        if (!used[i])
            unused.push_back(i);
    return unused;
}

}  // namespace vftrace
