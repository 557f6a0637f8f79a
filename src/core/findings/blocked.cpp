// The program waits, and what for is not known.
#include "base/text.hpp"
#include "findings/rules.hpp"
#include "findings/waiting_paths.hpp"

namespace vftrace {

void find_blocked(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.1;
    // With several threads, the first one may wait for others that work.
    if (run.profile.run.threads > run.ranks)
        return;
    const WaitsOfProgram waits =
        waits_of_program(run, {WaitKind::not_seen, WaitKind::other, WaitKind::memory,
                               WaitKind::process, WaitKind::poll, WaitKind::lock});
    std::optional<RunFinding> finding = finding_about(run, rule, waits, least_share);
    if (!finding)
        return;
    finding->sentence = format(
        "The program waits for %s, %s of the time%s.", seconds_text(finding->saved_seconds).c_str(),
        percent_text(finding->share).c_str(), most_of_it(run, waits).c_str());
    finding->reason =
        format("It leaves its processor %s times by itself, for %s on average: for a file, another "
               "process, a sleep or a lock.",
               count_text(waits.waits).c_str(), seconds_text(waits.mean_seconds()).c_str());
    finding->confidence = Confidence::likely;
    finding->next_step = "\"vftrace run --waiting\" records what for; \"vftrace report --waiting "
                         "FILE\" shows where.";
    findings.push_back(std::move(*finding));
}

}  // namespace vftrace
