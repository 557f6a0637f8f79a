// Costs by function, and the selection of functions.
#include "filter/worthless_functions.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// By function: whether it calls, directly or indirectly, something that must stay visible with its
// callers.
std::vector<bool> functions_to_keep(const Profile& profile) {
    std::vector<bool> path_leads(profile.paths.size()), keep(profile.functions.size());
    for (std::size_t i = profile.paths.size(); i-- > 0;) {  // callees come after their callers
        const Path& path = profile.paths[i];
        const NodeKind kind = profile.functions[path.function].kind;
        if (path_leads[i])
            keep[path.function] = true;
        const bool is_kept = row_of(kind).is(kind_is_kept);
        if ((is_kept || path_leads[i]) && path.parent != no_index)
            path_leads[path.parent] = true;
    }
    for (std::size_t i = 0; i < profile.functions.size(); i++) {
        const std::string& name = profile.functions[i].name;
        if (name == "main" || name == "MAIN")
            keep[i] = true;
    }
    return keep;
}

double time_of_all(const Profile& profile) {
    std::int64_t time = 0;
    for (const Path& path : profile.paths)
        if (!(path.flags & path_paused))
            time += path.exclusive_ns;
    return static_cast<double>(time);
}

// A function that takes a tenth of the time may cost ten times as much.
constexpr double large_part = 0.1, share_of_large = 10;

bool costs_more(const FunctionCost& a, const FunctionCost& b) {
    return a.overhead_ns != b.overhead_ns ? a.overhead_ns > b.overhead_ns : a.function < b.function;
}

}  // namespace

std::vector<FunctionCost> function_costs(const Profile& profile) {
    std::vector<FunctionCost> costs(profile.functions.size());
    std::vector<bool> has_path(profile.functions.size());
    for (const Path& path : profile.paths) {
        FunctionCost& cost = costs[path.function];
        has_path[path.function] = true;
        cost.calls += path.calls;
        cost.exclusive_ns += path.exclusive_ns;
        cost.overhead_ns += path.overhead_ns;
    }
    std::vector<FunctionCost> result;
    for (std::uint32_t i = 0; i < costs.size(); i++)
        if (has_path[i] && profile.functions[i].kind == NodeKind::function) {
            result.push_back(costs[i]);
            result.back().function = i;
        }
    return result;
}

std::vector<bool> functions_that_matter(const Profile& profile, double min_share) {
    std::vector<bool> matter = functions_to_keep(profile);
    const double time = time_of_all(profile);
    for (const FunctionCost& cost : function_costs(profile))
        if (static_cast<double>(cost.exclusive_ns) >= min_share * time)
            matter[cost.function] = true;
    return matter;
}

std::vector<FunctionCost> worthless_functions(const Profile& profile,
                                              const WorthlessLimits& limits) {
    const std::vector<bool> keep = functions_to_keep(profile);
    const double time = time_of_all(profile);
    std::vector<FunctionCost> result;
    for (const FunctionCost& cost : function_costs(profile)) {
        const auto overhead = static_cast<double>(cost.overhead_ns);
        // The time may be negative after the overhead has been subtracted.
        const auto own = static_cast<double>(std::max<std::int64_t>(cost.exclusive_ns, 0));
        const double share =
            own >= large_part * time ? share_of_large * limits.share : limits.share;
        if (!keep[cost.function] && cost.calls >= limits.min_calls && overhead > 0 &&
            overhead >= share * own)
            result.push_back(cost);
    }
    std::sort(result.begin(), result.end(), costs_more);
    // Not judged one by one: many small functions together cost much.
    double unlisted = limits.min_overhead * time;
    while (!result.empty() && static_cast<double>(result.back().overhead_ns) <= unlisted) {
        unlisted -= static_cast<double>(result.back().overhead_ns);
        result.pop_back();
    }
    for (const FilteredFunction& filtered : profile.filtered)
        if (profile.functions[filtered.function].kind == NodeKind::function)
            result.push_back({filtered.function, filtered.calls, filtered.exclusive_ns,
                              filtered.overhead_ns, true});
    std::sort(result.begin(), result.end(), costs_more);
    return result;
}

}  // namespace vftrace
