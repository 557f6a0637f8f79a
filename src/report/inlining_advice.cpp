// Time of functions that would have been inlined.
#include "report/inlining_advice.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// The calls are underestimated, for a processor overlaps hooks with other work: by up to a half.
constexpr double shortest_ns = 10, least_factor = 1.2;

}  // namespace

std::optional<InliningAdvice> inlining_advice(const Profile& profile) {
    double total = 0, overhead = 0, moment = 0;
    for (const Path& path : profile.paths)
        if (!(path.flags & path_paused))
            total += static_cast<double>(path.exclusive_ns);
    for (const FilteredFunction& function : profile.filtered) {
        overhead += static_cast<double>(function.overhead_ns);
        moment = std::max(moment, static_cast<double>(function.moment_ns));
    }
    const auto run = static_cast<double>(profile.run.runtime_ns);
    if (!(total > 0) || !(run > 0) || !(moment > 0))
        return {};
    // While they had their hooks, on all threads and ranks together; most of it was overhead.
    const double before = moment * total / run;
    constexpr double least_part = 0.1;
    const double program_before = std::max(before - overhead, least_part * before);
    InliningAdvice advice{1, 0};
    double saved = 0;
    for (const FilteredFunction& function : profile.filtered) {
        const double calls = static_cast<double>(function.calls) * total / program_before;
        const auto time = static_cast<double>(function.exclusive_ns);
        if (function.reason != FilterReason::sampled || function.still_called ||
            time >= shortest_ns * calls)
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
