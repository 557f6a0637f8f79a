// Busy threads that may use only some of a host's processors, while others are free.
#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "findings/rules.hpp"
#include "profile/binding.hpp"
#include "symbol/names.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_list = 60;  // of processors

// "threads 0, 1 and 3 of rank 2", "ranks 0 and 1"; "" if there is nothing to tell them apart by.
std::string who(const CrowdedProcessors& crowd, bool has_ranks) {
    constexpr std::size_t most = 4;
    std::vector<std::uint32_t> ranks, numbers;
    bool is_each = true;  // else a number is that of the first of several
    for (const BusyThread& thread : crowd.members) {
        ranks.push_back(thread.thread->rank);
        numbers.push_back(thread.thread->number);
        is_each &= thread.count == 1;
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    std::sort(numbers.begin(), numbers.end());
    const bool several_ranks = ranks.size() > 1;
    if (!several_ranks && !is_each)
        return has_ranks ? "of rank " + std::to_string(ranks.front()) : "";
    const std::vector<std::uint32_t>& named = several_ranks ? ranks : numbers;
    std::string text = several_ranks ? "ranks " : "threads ";
    for (std::size_t i = 0; i < std::min(named.size(), most); i++)
        text += (i == 0 ? "" : i + 1 == named.size() ? " and " : ", ") + std::to_string(named[i]);
    if (named.size() > most)
        text += format(" and %zu more", named.size() - most);
    if (!several_ranks && has_ranks)
        text += " of rank " + std::to_string(ranks.front());
    return text;
}

}  // namespace

void find_binding(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    constexpr double least_share = 0.05;
    if (run.crowds.empty())
        return;
    const CrowdedProcessors& worst = run.crowds.front();
    const double waited_s = worst.waited_s() / static_cast<double>(worst.threads);
    // How much slower a core is for each of two threads depends on the program.
    if (!worst.is_core && !run.is_worth_it(waited_s, least_share))
        return;
    RunFinding finding = run.finding(rule, worst.is_core ? 0 : waited_s);
    std::string who_text = who(worst, run.profile.ranks.size() > 1);
    if (!who_text.empty())
        who_text.insert(0, ": ");
    const std::string processors = shorten_middle(printable(worst.processors), longest_list);
    const std::string host = printable(worst.host);
    finding.rank = worst.members.front().thread->rank;
    finding.sentence =
        worst.is_core ? format("%zu busy threads share one core (processors %s) of host %s%s.",
                               worst.threads, processors.c_str(), host.c_str(), who_text.c_str())
                      : format("%zu busy threads may use only processor%s %s of host %s%s.",
                               worst.threads, worst.places == 1 ? "" : "s", processors.c_str(),
                               host.c_str(), who_text.c_str());
    finding.reason =
        format("The host has %.0f processors for %.0f busy threads", worst.of_host,
               worst.busy_on_host) +
        (worst.is_core ? std::string(", so other cores are free.")
                       : format("; these had to wait for a processor for %s on average.",
                                seconds_text(waited_s).c_str()));
    if (run.crowds.size() > 1)
        finding.reason += format(" %zu more set%s of processors are crowded.",
                                 run.crowds.size() - 1, run.crowds.size() > 2 ? "s" : "");
    finding.confidence = Confidence::certain;
    finding.next_step =
        "Give each rank as many processors as it has busy threads (mpirun --map-by slot:PE=N "
        "--bind-to core, srun --cpus-per-task=N --cpu-bind=cores), and each thread one "
        "(OMP_PLACES=cores OMP_PROC_BIND=spread, taskset); \"vftrace report --binding FILE\" shows "
        "where each thread may run.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
