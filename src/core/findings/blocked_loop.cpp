// A task of an event loop that keeps all others from running.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

// Longer than what users of a service accept, and than a scheduler's time slice.
constexpr double least_seconds = 0.05;

}  // namespace

// A remark, because it costs response time, not run time.
void find_blocked_loop(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const std::vector<TaskLoop>& loops = run.profile.task_loops;
    const auto longest =
        std::max_element(loops.begin(), loops.end(), [](const TaskLoop& a, const TaskLoop& b) {
            return a.longest_run_ns < b.longest_run_ns;
        });
    if (longest == loops.end() || longest->longest_task == no_index)
        return;
    const double seconds = static_cast<double>(longest->longest_run_ns) / 1e9;
    if (seconds < least_seconds)
        return;
    RunFinding finding = run.finding(rule, 0);
    finding.path = longest->longest_task;
    finding.share = run.elapsed_s > 0 ? std::min(seconds / run.elapsed_s, 1.0) : 0;
    finding.sentence =
        format("The task %s kept its event loop busy for %s without a break.",
               run.place(longest->longest_task).c_str(), seconds_text(seconds).c_str());
    finding.reason = "Meanwhile no other task of that loop could run.";
    finding.confidence = Confidence::certain;
    finding.next_step =
        "Let it yield, or give the work to another thread; \"vftrace report --tasks "
        "FILE\" shows the longest run of each loop.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
