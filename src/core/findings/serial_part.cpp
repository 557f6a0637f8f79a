// Time in which one thread works outside parallel regions and the others of its team have nothing
// to do.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1;

}  // namespace

void find_serial_part(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    if (run.openmp.processors < 2)
        return;
    const auto threads = static_cast<double>(run.openmp.processors);
    // The time that the other threads lose, divided by all threads.
    const double saved = run.openmp.serial / threads / 1e9;
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++)
        if (run.is_own_code(i) && !is_below_kind(run.profile, i, NodeKind::openmp) &&
            !is_below_kind(run.profile, i, NodeKind::thread) &&
            (finding.path == no_index ||
             run.exclusive_seconds(i) > run.exclusive_seconds(finding.path)))
            finding.path = i;
    const double alone = run.openmp.serial / (threads - run.ranks) / 1e9;
    const double others = threads / run.ranks - 1;
    finding.sentence =
        format("One thread works alone for %s, %s of the time, while %.0f other%s to do",
               seconds_text(alone).c_str(), percent_text(alone / run.elapsed_s).c_str(), others,
               others < 1.5 ? " has nothing" : "s have nothing");
    if (finding.path != no_index)
        finding.sentence += ", most of that in " + run.place(finding.path);
    finding.sentence += ".";
    finding.reason = "This code runs outside parallel regions.";
    finding.confidence = Confidence::certain;
    finding.next_step =
        "Make this function parallel too, or run it concurrently with others; \"vftrace report "
        "--openmp --threads FILE\" shows regions and threads.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
