// Threads of OpenMP's teams that wait in parallel regions.
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.05;
constexpr double short_work_seconds = 50e-6;
constexpr std::size_t most_regions = 2;

double of_thread(std::int64_t ns, const ParallelRegion& region) {
    return static_cast<double>(ns) / 1e9 / static_cast<double>(region.threads);
}

// The wait for a lock with the most time below a region; no_index: none.
std::uint32_t longest_lock(const RunFacts& run, std::uint32_t region) {
    std::uint32_t longest = no_index;
    const Profile& profile = run.profile;
    std::vector<bool> is_below(profile.paths.size(), false);
    is_below[region] = true;
    for (std::uint32_t i = region + 1; i < profile.paths.size(); i++) {
        is_below[i] = profile.paths[i].parent != no_index && is_below[profile.paths[i].parent];
        if (!is_below[i] || run.kind(i) != NodeKind::openmp)
            continue;
        for (const std::string_view construct :
             {"omp critical wait", "omp lock wait", "omp atomic wait", "omp ordered wait"})
            if (run.name(i).starts_with(construct) &&
                (longest == no_index || run.exclusive_seconds(i) > run.exclusive_seconds(longest)))
                longest = i;
    }
    return longest;
}

void explain(const RunFacts& run, const ParallelRegion& region, RunFinding& finding) {
    const double waiting = of_thread(region.waiting_ns, region);
    const double busy = of_thread(region.busy_ns, region);
    const double most = static_cast<double>(region.busy_max_ns) / 1e9;
    const double work = static_cast<double>(region.busy_ns) / 1e9 /
                        static_cast<double>(std::max<std::uint64_t>(region.entries, 1)) /
                        static_cast<double>(region.threads) * run.ranks;
    const std::uint32_t lock = longest_lock(run, region.path);
    finding.confidence = Confidence::certain;
    if (lock != no_index &&
        run.exclusive_seconds(lock) / static_cast<double>(region.threads) >= waiting / 2) {
        finding.path = lock;
        finding.reason = format("Most of that is in %s.", run.function(lock).c_str());
        finding.next_step =
            "Let threads share less: use a reduction, or private data, instead of locked data.";
    } else if (run.ranks == 1 && most - busy >= waiting / 2) {
        finding.reason = format(
            "The busiest thread works for %s, the mean of all is %s: the work is distributed "
            "unevenly.",
            seconds_text(most).c_str(), seconds_text(busy).c_str());
        finding.next_step = "Try schedule(dynamic) or smaller chunks; \"vftrace report --openmp "
                            "--threads FILE\" shows regions and threads.";
    } else if (work < short_work_seconds) {
        finding.reason =
            format("Each of its %s entries has %.1f us of work per thread, less than it takes to "
                   "start and end a region.",
                   count_text(static_cast<double>(region.entries)).c_str(), 1e6 * work);
        finding.next_step =
            "Combine several regions into one, or leave short loops to one thread (the if "
            "clause).";
    } else {
        finding.reason =
            "The threads have unequal work, or there is not enough work for all of them.";
        finding.confidence = Confidence::likely;
        finding.next_step = "\"vftrace report --openmp --threads FILE\" shows regions and threads.";
    }
}

}  // namespace

void find_thread_starvation(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    std::vector<const ParallelRegion*> regions;
    for (const ParallelRegion& region : run.profile.parallel_regions)
        if (region.threads > 0 &&
            run.is_worth_it(of_thread(region.waiting_ns, region), least_share))
            regions.push_back(&region);
    std::stable_sort(regions.begin(), regions.end(),
                     [](const ParallelRegion* a, const ParallelRegion* b) {
                         return of_thread(a->waiting_ns, *a) > of_thread(b->waiting_ns, *b);
                     });
    for (std::size_t i = 0; i < std::min(regions.size(), most_regions); i++) {
        const ParallelRegion& region = *regions[i];
        const double waiting = of_thread(region.waiting_ns, region);
        RunFinding finding = run.finding(rule, waiting);
        finding.path = region.path;
        finding.sentence = format(
            "Threads wait for %s each, %s of the time, in %s.", seconds_text(waiting).c_str(),
            percent_text(finding.share).c_str(), run.place(region.path).c_str());
        explain(run, region, finding);
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
