// The path that has most of the memory when the ranks need most.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {

// A remark: whether the program needs that memory is not known.
void find_memory_peak(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_bytes = 64 << 20, least_part = 0.3;
    double all = 0;
    const PathHeap* largest = nullptr;
    for (const PathHeap& row : run.heap) {
        all += row.at_peak.value;
        if (!largest || row.at_peak.value > largest->at_peak.value)
            largest = &row;
    }
    if (!largest || all < least_bytes || interval_95(largest->at_peak).low < least_part * all)
        return;
    const RankHeap* const rank = rank_with_highest_peak(run.rank_heap);
    const bool several = run.rank_heap.size() > 1;
    RunFinding finding = run.finding(rule, 0);
    finding.path = largest->path;
    finding.sentence =
        format("%s of the %s at the peak%s were allocated by %s.",
               percent_text(largest->at_peak.value / all).c_str(), bytes_text(all).c_str(),
               several ? "s of all ranks" : "", run.place(largest->path).c_str());
    if (rank) {
        finding.reason =
            format("The peak%s was %s, %s after the start",
                   several ? format(" of rank %u", rank->rank).c_str() : "",
                   bytes_text(rank->peak).c_str(), seconds_text(rank->peak_time_ns / 1e9).c_str());
        if (several)
            finding.rank = rank->rank;
        finding.reason += several ? "; no other rank had more." : ".";
    }
    finding.confidence = Confidence::certain;
    finding.next_step =
        "\"vftrace report --memory FILE\" shows what all paths had at the peak and at the end.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
