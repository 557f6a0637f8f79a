// Threads could run, but had no processor, because other programs used them.
#include "base/text.hpp"
#include "findings/rules.hpp"
#include "profile/waiting.hpp"

namespace vftrace {

// A remark: the program cannot change it. If its own threads are too many, that is the finding
// `oversubscription`.
void find_preempted(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.1, least_seconds = 0.1;
    const ThreadStates all = states_of_threads(run.profile);
    const Contention& contention = run.contention;
    const bool by_itself = contention.own_share > contention.others_share || contention.is_bound;
    if (all.displaced_ns < least_share * all.watched_ns || all.displaced_ns < least_seconds * 1e9 ||
        by_itself)
        return;
    const PathWaits* most = nullptr;
    for (const PathWaits& row : run.waits)
        if (!most || row.displaced_ns > most->displaced_ns)
            most = &row;
    RunFinding finding = run.finding(rule, 0);
    finding.share = all.displaced_ns / all.watched_ns;
    finding.sentence =
        format("Threads had no processor, although they could run, for %s of their life (%s)",
               percent_text(finding.share).c_str(), seconds_text(all.displaced_ns / 1e9).c_str());
    if (most && most->displaced_ns > 0) {
        finding.path = most->path;
        finding.sentence +=
            format(", %s of it in %s", percent_text(most->displaced_ns / all.displaced_ns).c_str(),
                   run.place(most->path).c_str());
    }
    finding.sentence += ".";
    finding.reason =
        contention.processors > 0
            ? format("Its own threads explain %s of the time in which threads could run, other "
                     "programs %s.",
                     percent_text(contention.own_share).c_str(),
                     percent_text(contention.others_share).c_str())
            : "Whether other programs or other threads of this one used them is not known.";
    finding.confidence = contention.processors > 0 ? Confidence::likely : Confidence::possible;
    finding.next_step = "Measure on a quiet machine; \"vftrace report --waiting FILE\" shows which "
                        "functions were interrupted, and for how long.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
