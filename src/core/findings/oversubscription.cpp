// More runnable threads than processors for them.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1;
// Runnable threads per processor; smaller differences may be chance.
constexpr double clearly_more = 1.2;
// Processors of the host that are idle while threads wait.
constexpr double much_waiting = 0.2, much_idle = 0.3;

// How many processors all ranks have together; NaN if not known.
double processors_of(const RunFacts& run) {
    const ResourceFigures& figures = run.resources;
    const double of_ranks = run.ranks * figures.allowed;
    return run.ranks == 1 ? of_ranks : std::min(figures.host_processors, of_ranks);
}

}  // namespace

// Threads that wait because of other programs are not a finding: the quality of the measurement
// covers them.
void find_oversubscription(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    const double share = figures.waiting_share(), saved = share * run.elapsed_s;
    if (!(saved > 0) || !run.is_worth_it(saved, least_share))
        return;
    const double runnable = (figures.waiting_s + figures.processor_s()) / run.elapsed_s;
    const double processors = processors_of(run);
    const bool too_many = runnable >= clearly_more * processors;
    const bool bound = share >= much_waiting && figures.allowed < figures.host_processors &&
                       figures.host_idle_s >= much_idle * figures.host_s;
    if (!too_many && !bound)
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.sentence =
        format("Runnable threads wait for a processor %s of the time: on average, %.1f threads are "
               "runnable on %.0f processor%s.",
               percent_text(share).c_str(), runnable, processors, plural_s(processors));
    finding.reason =
        bound ? format("The host has %.0f processors, some of them idle, but a process may use "
                       "only %.0f of them (its affinity).",
                       figures.host_processors, figures.allowed)
              : format("There are more threads or ranks than processors: they were interrupted "
                       "%s times.",
                       count_text(figures.involuntary_switches).c_str());
    finding.confidence = too_many ? Confidence::certain : Confidence::likely;
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
