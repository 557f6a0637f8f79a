// A few calls of a function take much of its time, while most calls are short.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"
#include "profile/latencies.hpp"

namespace vftrace {
namespace {

constexpr double slowest = 0.01, least_part = 0.5, least_ratio = 10;
constexpr std::uint64_t fewest_calls = 200;

// How long the calls of a path were interrupted because others used the processor.
double displaced_seconds(const RunFacts& run, std::uint32_t path) {
    const auto row = std::find_if(run.waits.begin(), run.waits.end(),
                                  [path](const PathWaits& waits) { return waits.path == path; });
    return row == run.waits.end() ? 0 : row->displaced_ns / 1e9;
}

}  // namespace

void find_slow_calls(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    for (const PathLatencies& row : run.profile.latencies) {
        const Path& path = run.profile.paths[row.path];
        std::uint64_t calls = 0;
        const double slow_s = ns_of_longest(row, slowest, calls) / 1e9;
        const double all_s = static_cast<double>(path.inclusive_ns) / 1e9;
        const double usual_s = percentile_ns(row, 1 - slowest) / 1e9;
        // That the time is its own: otherwise a callee is the cause. Where others had the
        // processor, the calls are not the cause.
        const bool is_own = 2 * path.exclusive_ns > path.inclusive_ns;
        if (row.calls < fewest_calls || !run.is_own_code(row.path) || !is_own ||
            slow_s < least_part * all_s ||
            slow_s < least_ratio * usual_s * static_cast<double>(calls) ||
            displaced_seconds(run, row.path) > slow_s / 2)
            continue;
        const double lost_s = slow_s - usual_s * static_cast<double>(calls);
        const double saved = run.profile.run.uses_mpi ? lost_s / run.ranks : lost_s;
        if (!run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = row.path;
        finding.sentence =
            format("%s of %s calls of %s take %s of its time.",
                   count_text(static_cast<double>(calls)).c_str(),
                   count_text(static_cast<double>(row.calls)).c_str(), run.place(row.path).c_str(),
                   percent_text(std::min(slow_s / all_s, 1.0)).c_str());
        finding.reason = format(
            "99 %% of the calls take no more than %s; the longest took %s and ended %s after the "
            "start%s.",
            seconds_text(std::max(usual_s, least_latency_ns / 1e9)).c_str(),
            seconds_text(static_cast<double>(row.longest.ns) / 1e9).c_str(),
            seconds_text(static_cast<double>(row.longest.end_ns) / 1e9).c_str(),
            run.profile.run.ranks > 1 ? format(" on rank %u", row.longest.rank).c_str() : "");
        finding.confidence = Confidence::likely;
        finding.next_step = "\"vftrace report --latencies FILE\" shows the percentiles of all "
                            "functions; a trace (sampling.active) shows what happened around the "
                            "longest call.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
