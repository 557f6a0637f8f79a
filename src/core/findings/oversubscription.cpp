// More runnable threads than processors for them.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1, some_of_it = 0.1;
// Runnable threads per processor; smaller differences may be chance.
constexpr double clearly_more = 1.2;

// How long ranks and threads wait for each other, per rank or thread: only this can become shorter,
// because as many threads as processors do the same work in the same time.
double waiting_for_each_other(const RunFacts& run) {
    double seconds = 0;
    for (const RankTime& rank : run.times.ranks)
        seconds += run.times.ranks.size() > 1 ? rank.mpi / 1e9 / run.ranks : 0;
    for (const ParallelRegion& region : run.profile.parallel_regions)
        if (region.threads > 0)
            seconds +=
                static_cast<double>(region.waiting_ns) / 1e9 / static_cast<double>(region.threads);
    return seconds;
}

}  // namespace

// Threads that wait because of other programs are not a finding: the quality of the measurement
// covers them.
void find_oversubscription(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    const Contention& contention = run.contention;
    const double share = figures.waiting_share();
    const bool too_many = contention.runnable >= clearly_more * contention.processors &&
                          contention.own_share >= least_share;
    const bool bound = contention.is_bound;
    if (!(contention.processors > 0) || (!too_many && !bound))
        return;
    const double of_own = contention.own_share * run.elapsed_s;
    if (!run.is_worth_it(of_own, least_share))
        return;
    const double saved = bound ? of_own : std::min(of_own, waiting_for_each_other(run));
    RunFinding finding = run.finding(rule, saved);
    finding.sentence =
        format("Runnable threads wait for a processor %s of the time: on average, %.1f threads are "
               "runnable on %.0f processor%s.",
               percent_text(share).c_str(), contention.runnable, contention.processors,
               plural_s(contention.processors));
    finding.reason =
        bound ? format("The host has %.0f processors, some of them idle, but a process may use "
                       "only %.0f of them (its affinity).",
                       figures.host_processors, figures.allowed)
              : format("There are more threads or ranks than processors: they were interrupted "
                       "%s times.",
                       count_text(figures.involuntary_switches).c_str());
    if (!bound && contention.others_share > some_of_it * share)
        finding.reason += format(" That explains %s of the time, other programs the rest.",
                                 percent_text(contention.own_share).c_str());
    if (!bound && finding.is_remark())
        finding.reason += " They do not wait for each other, so fewer of them would hardly make "
                          "the run shorter.";
    finding.confidence = bound || contention.others_share > some_of_it * share
                             ? Confidence::likely
                             : Confidence::certain;
    finding.next_step =
        bound ? "Let the process use more processors (--bind-to of mpirun, --cpus-per-task of "
                "srun, OMP_PLACES, taskset); \"vftrace report --process FILE\" shows how many "
                "processors each rank may use."
              : "Start as many threads and ranks as there are processors (OMP_NUM_THREADS, -n of "
                "mpirun); \"vftrace report --process FILE\" shows how long each rank waited for a "
                "processor.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
