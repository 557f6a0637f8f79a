// A rank that needs much more memory than the others.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {

// A remark: it decides how many ranks a host has room for.
void find_memory_imbalance(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_bytes = 64 << 20, least_ratio = 1.5;
    if (run.rank_heap.size() < 2)
        return;
    const RankHeap* const largest = rank_with_highest_peak(run.rank_heap);
    double sum = 0;
    for (const RankHeap& row : run.rank_heap)
        sum += row.peak;
    const double mean = sum / static_cast<double>(run.rank_heap.size());
    // A sum of samples that represent `sample_bytes` each, or more.
    const Estimate peak = {largest->peak,
                           largest->sample_bytes > 1 ? largest->peak * largest->sample_bytes : 0};
    if (largest->peak - mean < least_bytes || interval_95(peak).low < least_ratio * mean)
        return;
    RunFinding finding = run.finding(rule, 0);
    finding.rank = largest->rank;
    finding.sentence =
        format("Rank %u had %s allocated at its peak, %.1f times the mean of all %zu "
               "ranks.",
               largest->rank, bytes_text(largest->peak).c_str(), largest->peak / mean,
               run.rank_heap.size());
    finding.reason = "The rank that needs most decides how many have room on a host.";
    finding.confidence = Confidence::certain;
    finding.next_step = "\"vftrace report --memory FILE\" shows the peak of each rank, and the "
                        "profile of that rank (option logfile_for_ranks) what it holds.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
