// The call path in which most of the time is spent.
#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_part = 0.3, least_seconds = 0.1;
constexpr double short_call_seconds = 200e-9;
// The path waits if the process was runnable for a smaller part of the path's time than this.
constexpr double most_worked_of_a_wait = 0.5;

}  // namespace

// A remark, because computing is not a fault.
void find_hot_path(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    std::uint32_t hottest = no_index;
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++)
        if (run.is_own_code(i) &&
            (hottest == no_index || run.exclusive_seconds(i) > run.exclusive_seconds(hottest)))
            hottest = i;
    if (hottest == no_index || run.exclusive_s < least_seconds * run.ranks ||
        run.exclusive_seconds(hottest) < least_part * run.exclusive_s)
        return;
    const Path& path = run.profile.paths[hottest];
    const double seconds = run.exclusive_seconds(hottest);
    RunFinding finding = run.finding(rule, 0);
    finding.path = hottest;
    finding.share = seconds / run.exclusive_s;
    finding.sentence = format("The largest part of the time, %s (%s), is spent in %s.",
                              percent_text(finding.share).c_str(), seconds_text(seconds).c_str(),
                              run.place(hottest).c_str());
    finding.confidence = Confidence::certain;
    const auto calls = static_cast<double>(path.calls);
    const ResourceFigures& figures = run.resources;
    const double runnable_s =
        figures.processor_s() + (figures.waiting_s > 0 ? figures.waiting_s : 0);
    if (runnable_s < seconds * most_worked_of_a_wait) {
        finding.reason =
            format("All threads together have worked for %s, so for most of that time it does not "
                   "compute: it sleeps or waits.",
                   seconds_text(figures.processor_s()).c_str());
        finding.next_step = "Look for what it waits for: a pause, a lock, input, another process; "
                            "\"vftrace report --process FILE\" shows how often it blocks.";
    } else if (calls > 0 && seconds / calls < short_call_seconds) {
        finding.reason = format("Its %s calls take %.0f ns each: the call costs about as much as "
                                "the work in it.",
                                count_text(calls).c_str(), 1e9 * seconds / calls);
        finding.next_step =
            "Let the compiler inline it (vftrace-cc lets gcc and clang do so), or process "
            "several elements per call.";
    } else {
        finding.reason = "It takes more time than anything else, so speeding it up pays most.";
        finding.next_step =
            "Hardware counters (option hwprof.type) show whether it computes or waits for "
            "memory.";
    }
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
