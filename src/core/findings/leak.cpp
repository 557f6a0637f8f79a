// Paths whose blocks accumulate: many are still allocated at the end, and the program's memory grew
// until then.
#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "findings/rules.hpp"
#include "record/metrics.hpp"

namespace vftrace {
namespace {

// By how much the allocated memory of all ranks grew in the second half of their time: that of the
// processes, or of a path. Nothing if that was not followed.
std::optional<double> growth_in_second_half(const Profile& profile, std::uint32_t path) {
    const MetricId wanted = path == no_index ? MetricId::heap_live_at : MetricId::heap_path_live_at;
    std::optional<double> growth;
    for (const Series& series : profile.series) {
        if (profile.metrics[series.metric].name != row_of(wanted).name ||
            (path != no_index &&
             (series.path == no_index || allocating_path(profile, series.path) != path)))
            continue;
        const std::int64_t middle = series.points.back().ns / 2;
        const auto later = std::find_if(series.points.begin(), series.points.end(),
                                        [&](const auto& point) { return point.ns > middle; });
        const double before = later == series.points.begin() ? 0 : std::prev(later)->value;
        growth = growth.value_or(0) + series.points.back().value - before;
    }
    return growth;
}

}  // namespace

// A remark: it is not known whether the program still needs the blocks.
void find_leak(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_bytes = 16 << 20, least_part = 0.1, fewest_calls = 100;
    if (run.heap.empty())
        return;
    double peaks = 0;
    for (const RankHeap& row : run.rank_heap)
        peaks += row.peak;
    const double growth_of_all = growth_in_second_half(run.profile, no_index).value_or(0);
    for (const PathHeap& row : run.heap) {
        const std::optional<double> own = growth_in_second_half(run.profile, row.path);
        const double growth = own.value_or(growth_of_all);
        const double left = interval_95(row.live).low;
        // What grows evenly grows by half in the second half; both are estimates.
        constexpr double even_growth = 0.35;
        if (left < least_bytes || left < least_part * peaks || row.calls.value < fewest_calls ||
            growth < even_growth * row.live.value)
            continue;
        RunFinding finding = run.finding(rule, 0);
        finding.path = row.path;
        finding.sentence = format("%s that were not freed were allocated in about %s calls by %s.",
                                  bytes_text(row.live.value).c_str(),
                                  count_text(row.calls.value).c_str(), run.place(row.path).c_str());
        finding.reason =
            format("%s memory grew by %s in the second half of the run. Whether the program can "
                   "still reach these blocks is not known.",
                   own ? "This" : "The allocated", bytes_text(growth).c_str());
        finding.confidence = Confidence::possible;
        finding.next_step =
            "\"vftrace report --memory FILE\" shows what other paths had at the end; "
            "LeakSanitizer (-fsanitize=leak) shows blocks to which no pointer is "
            "left.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
