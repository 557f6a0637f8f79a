// Hosts whose memory is nearly used up.
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double much_percent = 95;
constexpr std::string_view most_in_use = "memory.used";

}  // namespace

// A remark, because this costs time only when the memory is used up.
void find_host_memory(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const HostMetric* fullest = nullptr;
    for (const HostMetric& value : run.profile.host_metrics)
        if (run.profile.metrics[value.metric].name == most_in_use && value.value >= much_percent &&
            (!fullest || value.value > fullest->value))
            fullest = &value;
    if (!fullest)
        return;
    RunFinding finding = run.finding(rule, 0);
    finding.sentence = format("%.0f %% of the memory of host %s was in use.", fullest->value,
                              printable(fullest->host).c_str());
    finding.reason =
        "When a host runs out of memory, the system swaps to disk or kills the program.";
    finding.confidence = Confidence::certain;
    finding.next_step =
        "Use more hosts or fewer ranks per host; \"vftrace report --table memory_ranks FILE\" "
        "has the peak of each rank.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
