// Time of functions that would have been inlined.
#include "report/inlining_advice.hpp"

#include <algorithm>
#include <vector>

namespace vftrace {
namespace {

// The calls are underestimated by up to a half, because a processor overlaps hooks with other work.
constexpr double shortest_ns = 10, least_factor = 1.2;

}  // namespace

std::optional<InliningAdvice> inlining_advice(const Profile& profile) {
    std::vector<const FilteredFunction*> removed;  // the earliest one first
    for (const FilteredFunction& function : profile.filtered)
        if (function.reason == FilterReason::sampled && !function.still_called &&
            function.moment_ns > 0)
            removed.push_back(&function);
    std::sort(removed.begin(), removed.end(),
              [](auto* a, auto* b) { return a->moment_ns < b->moment_ns; });
    double total = 0;
    for (const Path& path : profile.paths)
        if (!(path.flags & path_paused))
            total += static_cast<double>(path.exclusive_ns);
    const auto run = static_cast<double>(profile.run.runtime_ns);
    if (!(total > 0) || !(run > 0))
        return {};
    InliningAdvice advice{1, 0};
    constexpr double least_part = 0.1;
    double saved = 0, overhead = 0;
    for (const FilteredFunction* function : removed) {
        // The time while it had its hooks, on all threads and ranks together; most of it was
        // overhead.
        overhead += static_cast<double>(function->overhead_ns);
        const double before = static_cast<double>(function->moment_ns) * total / run;
        const double program_before = std::max(before - overhead, least_part * before);
        const double calls = static_cast<double>(function->calls) * total / program_before;
        const auto time = static_cast<double>(function->exclusive_ns);
        if (time >= shortest_ns * calls)
            continue;
        saved += time;
        advice.functions++;
    }
    advice.times_as_long = total / std::max(total - saved, least_part * total);
    if (advice.times_as_long < least_factor)
        return {};
    return advice;
}

}  // namespace vftrace
