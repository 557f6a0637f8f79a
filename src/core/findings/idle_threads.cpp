// Threads that wait for work most of the time.
#include "base/text.hpp"
#include "findings/rules.hpp"
#include "findings/waiting_paths.hpp"

namespace vftrace {
namespace {

// Parts of a thread's life.
constexpr double least_idle = 0.8;
// A thread that never works is a helper of a library.
constexpr double least_running = 0.01;
// Part of the run: others were not there for most of it.
constexpr double least_life = 0.5;

struct IdleThreads {
    double idle = 0, all = 0;  // number of threads
    double waited_ns = 0, watched_ns = 0;
};

IdleThreads idle_threads(const RunFacts& run) {
    IdleThreads sum;
    for (const ThreadFigures& thread : run.profile.threads) {
        const ThreadStates states = states_of(run.profile, thread);
        if (thread.number == 0 || thread.number == no_index || thread.openmp_worker ||
            thread.threads != 1 || states.watched_ns < least_life * run.elapsed_s * 1e9 ||
            states.running_ns < least_running * states.watched_ns)
            continue;
        sum.all++;
        if (states.waited_ns < least_idle * states.watched_ns)
            continue;
        sum.idle++;
        sum.waited_ns += states.waited_ns;
        sum.watched_ns += states.watched_ns;
    }
    return sum;
}

}  // namespace

// A remark, because it does not say how much of the other threads' work they could do.
void find_idle_threads(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_part = 0.5, least_seconds = 0.1;
    const IdleThreads threads = idle_threads(run);
    if (threads.idle == 0 || threads.idle < least_part * threads.all ||
        run.elapsed_s < least_seconds)
        return;
    const WaitsOfProgram waits =
        waits_of_program(run, {WaitKind::lock, WaitKind::not_seen}, Whose::other_threads);
    RunFinding finding = run.finding(rule, 0);
    finding.share = threads.waited_ns / threads.watched_ns;
    finding.path = waits.longest;
    finding.sentence =
        format("%.0f of %.0f threads besides the first wait %s of the time%s.", threads.idle,
               threads.all, percent_text(finding.share).c_str(), most_of_it(run, waits).c_str());
    finding.reason = "They have work for the rest of it, so that they hold memory and processors "
                     "for little.";
    finding.confidence = Confidence::certain;
    finding.next_step = "Give them more of the work, or start fewer of them; \"vftrace report "
                        "--waiting FILE\" shows what they wait for.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
