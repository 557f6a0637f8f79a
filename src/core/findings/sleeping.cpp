// The program sleeps.
#include "base/text.hpp"
#include "findings/rules.hpp"
#include "findings/waiting_paths.hpp"

namespace vftrace {

void find_sleeping(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    const WaitsOfProgram waits = waits_of_program(run, {WaitKind::sleep});
    std::optional<RunFinding> finding = finding_about(run, rule, waits, least_share);
    if (!finding)
        return;
    finding->sentence =
        format("The program sleeps for %s, %s of the time%s.",
               seconds_text(finding->saved_seconds).c_str(), percent_text(finding->share).c_str(),
               most_of_it(run, waits).c_str());
    finding->reason =
        format("It does so %s times, for %s on average.", count_text(waits.waits).c_str(),
               seconds_text(waits.mean_seconds()).c_str());
    finding->confidence = Confidence::certain;
    finding->next_step =
        "Wait for the event itself (a condition variable, poll) instead of looking "
        "for it now and then; \"vftrace report --waiting FILE\" shows all waits.";
    findings.push_back(std::move(*finding));
}

}  // namespace vftrace
