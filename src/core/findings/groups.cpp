#include "findings/groups.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace vftrace {
namespace {

enum class Same : std::uint8_t {
    anything,
    rank  // the ranks that both findings blame
};

// In the order in which causes are looked for: from what lies deepest.
constexpr struct {
    std::string_view cause, effect;
    Same same;
} causes[] = {
    {"oversubscription", "load-imbalance", Same::anything},
    {"oversubscription", "slow-rank", Same::anything},
    {"oversubscription", "late-rank", Same::anything},
    {"oversubscription", "thread-starvation", Same::anything},
    {"oversubscription", "collective-wait", Same::anything},
    {"oversubscription", "message-wait", Same::anything},
    {"oversubscription", "communication", Same::anything},
    {"oversubscription", "kernel-time", Same::anything},
    {"binding", "oversubscription", Same::anything},
    {"binding", "load-imbalance", Same::anything},
    {"binding", "late-rank", Same::anything},
    {"binding", "thread-starvation", Same::anything},
    {"binding", "collective-wait", Same::anything},
    {"binding", "message-wait", Same::anything},
    {"binding", "communication", Same::anything},
    {"slow-rank", "load-imbalance", Same::rank},
    {"slow-rank", "late-rank", Same::rank},
    {"slow-rank", "collective-wait", Same::rank},
    {"slow-rank", "message-wait", Same::anything},
    {"slow-rank", "communication", Same::anything},
    {"load-imbalance", "late-rank", Same::rank},
    {"load-imbalance", "collective-wait", Same::rank},
    {"load-imbalance", "message-wait", Same::anything},
    {"load-imbalance", "communication", Same::anything},
    {"late-rank", "collective-wait", Same::anything},
    {"late-rank", "message-wait", Same::anything},
    {"late-rank", "communication", Same::anything},
    {"collective-wait", "communication", Same::anything},
    {"message-wait", "communication", Same::anything},
    {"small-messages", "communication", Same::anything},
    {"serial-part", "thread-starvation", Same::anything},
    {"small-io", "input-output", Same::anything},
    {"io-wait", "input-output", Same::anything},
    {"io-wait", "page-faults", Same::anything},
    {"oversubscription", "low-efficiency", Same::anything},
    {"slow-rank", "low-efficiency", Same::anything},
    {"load-imbalance", "low-efficiency", Same::anything},
    {"late-rank", "low-efficiency", Same::anything},
    {"collective-wait", "low-efficiency", Same::anything},
    {"message-wait", "low-efficiency", Same::anything},
    {"small-messages", "low-efficiency", Same::anything},
    {"communication", "low-efficiency", Same::anything},
    {"serial-part", "low-efficiency", Same::anything},
    {"thread-starvation", "low-efficiency", Same::anything},
    {"runtime-systems", "low-efficiency", Same::anything},
    {"gpu-idle", "low-efficiency", Same::anything},
};

// An effect that costs much more than its cause has others as well.
constexpr double most_of_cause = 2.5;

// Index of the cause; the finding itself if there is none.
std::size_t cause_of(const RunFindings& findings, std::size_t effect) {
    const RunFinding& of = findings[effect];
    for (const auto& row : causes)
        for (std::size_t i = 0; row.effect == of.rule && i < findings.size(); i++)
            if (findings[i].rule == row.cause && !findings[i].is_remark() &&
                of.saved_seconds <= most_of_cause * findings[i].saved_seconds &&
                (row.same == Same::anything || findings[i].rank == of.rank))
                return i;
    return effect;
}

void sort_by_saving(RunFindings& findings) {
    std::stable_sort(
        findings.begin(), findings.end(),
        [](const RunFinding& a, const RunFinding& b) { return a.saved_seconds > b.saved_seconds; });
}

}  // namespace

RunFindings grouped_by_cause(RunFindings findings, double elapsed_s) {
    sort_by_saving(findings);
    std::vector<std::size_t> first(findings.size());  // of the chain of causes
    for (std::size_t i = 0; i < findings.size(); i++) {
        first[i] = i;
        for (std::size_t cause; (cause = cause_of(findings, first[i])) != first[i];)
            first[i] = cause;
    }
    for (std::size_t i = 0; i < findings.size(); i++)
        if (first[i] != i)
            findings[first[i]].effects.push_back(findings[i]);
    RunFindings groups;
    double left = elapsed_s;
    for (std::size_t i = 0; i < findings.size(); i++) {
        if (first[i] != i)
            continue;
        RunFinding& group = findings[i];
        if (!group.is_remark() && elapsed_s > 0) {
            if (!(left > 0))
                continue;  // others would save all of it
            group.saved_seconds = std::min(group.saved_seconds, left);
            group.share = group.saved_seconds / elapsed_s;
            left -= group.saved_seconds;
        }
        groups.push_back(std::move(group));
    }
    sort_by_saving(groups);
    return groups;
}

}  // namespace vftrace
