// Processor time in the kernel.
#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double large_share = 0.5, least_share = 0.1, least_seconds = 0.5;

// The kinds of events for which there are figures.
std::string events_text(const ResourceFigures& figures) {
    std::string text;
    const auto add = [&](double count, const char* what) {
        if (count > 0)
            text += (text.empty() ? "" : ", ") + count_text(count) + ' ' + what;
    };
    add(figures.read_calls + figures.write_calls, "read and write calls");
    add(figures.minor_faults + figures.major_faults, "page faults");
    add(figures.voluntary_switches + figures.involuntary_switches, "context switches");
    return text;
}

// By the most frequent of the events.
const char* remedy(const ResourceFigures& figures) {
    const auto known = [](double count) { return count > 0 ? count : 0; };
    const double calls = known(figures.read_calls) + known(figures.write_calls);
    const double faults = known(figures.minor_faults) + known(figures.major_faults);
    const double switches = known(figures.voluntary_switches) + known(figures.involuntary_switches);
    if (calls >= std::max(faults, switches) && calls > 0)
        return "Make fewer system calls, or larger ones.";
    if (faults >= switches && faults > 0)
        return "Reuse memory instead of allocating it anew, or use huge pages.";
    if (switches > 0)
        return "Let threads block less often: wait for several events at once, share fewer locks.";
    return "Find out which system calls the program makes (strace -c -f).";
}

}  // namespace

void find_kernel_time(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    const double share = figures.system_s / figures.processor_s();
    if (!(share >= large_share))
        return;
    // Small calls and page faults have separate findings.
    const double explained = std::fmax(
        std::fmax(figures.small_calls_s(), figures.faults_prevail() ? figures.slow_minor_faults_s()
                                                                    : figures.minor_faults_s()),
        0);
    if (explained >= figures.system_s / 2)
        return;
    const double saved = run.elapsed_share_of(figures.system_s);
    if (saved < least_seconds || !run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    const FunctionsTime calls = run.time_in(system_call_functions);
    const bool is_there = calls.seconds >= share * run.exclusive_s / 2;
    if (is_there)
        finding.path = calls.longest;
    finding.sentence = format("The kernel takes %s, %s of the processor time%s.",
                              seconds_text(figures.system_s).c_str(), percent_text(share).c_str(),
                              is_there ? run.most_of_it(calls).c_str() : "");
    const std::string events = events_text(figures);
    finding.reason = events.empty() ? "This is the time of system calls and page faults."
                                    : format("There are %s.", events.c_str());
    finding.confidence = Confidence::certain;
    finding.next_step = remedy(figures);
    finding.next_step += " \"vftrace report --process FILE\" shows how many of each there are";
    finding.next_step += run.profile.run.sample_period_ns > 0
                             ? "."
                             : ", and \"vftrace run --sample\" shows which functions are in the "
                               "kernel.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
