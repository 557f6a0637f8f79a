// Page faults: memory that is new to the process, or has to be read from storage.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1;

// Of a fault that waits for a disk.
constexpr double slow_fault_s = 0.01, many_major = 100;

void find_major(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    if (!(figures.major_faults >= many_major))
        return;
    const double saved =
        std::min(figures.major_faults * slow_fault_s, run.blocked_seconds()) / run.ranks;
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.sentence =
        format("Threads wait up to %s for storage in %s page faults.", seconds_text(saved).c_str(),
               count_text(figures.major_faults).c_str());
    finding.reason = "Pages of files that are mapped, or memory that the system has written to "
                     "disk, are read one by one where they are used.";
    finding.confidence = Confidence::possible;
    finding.next_step = "Read mapped files ahead (madvise), or by large read calls; if memory is "
                        "full (option memory.interval), use more hosts or fewer ranks per host.";
    findings.push_back(std::move(finding));
}

void find_minor(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    const bool explain_it = figures.minor_faults_s() >= figures.system_s / 2;
    const bool may_explain_it =
        figures.slow_minor_faults_s() >= figures.system_s / 2 && figures.faults_prevail();
    if (!explain_it && !may_explain_it)
        return;
    const double faults_s = explain_it ? figures.minor_faults_s() : figures.slow_minor_faults_s();
    const double saved = run.elapsed_share_of(faults_s);
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.sentence = format(
        "%s page faults %s %s of the %s in the kernel.", count_text(figures.minor_faults).c_str(),
        explain_it ? "take about" : "may take up to", seconds_text(faults_s).c_str(),
        seconds_text(figures.system_s).c_str());
    finding.reason = "Each page of memory costs a fault when it is first touched, and again if it "
                     "was returned to the system in between.";
    finding.confidence = explain_it ? Confidence::likely : Confidence::possible;
    finding.next_step =
        "Reuse memory instead of allocating it anew, keep freed memory in "
        "the process (MALLOC_TRIM_THRESHOLD_, MALLOC_MMAP_THRESHOLD_ of glibc), or use huge "
        "pages; \"vftrace report --process FILE\" shows the faults of each rank.";
    findings.push_back(std::move(finding));
}

}  // namespace

void find_page_faults(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    find_major(run, rule, findings);
    find_minor(run, rule, findings);
}

}  // namespace vftrace
