// Ranks that compute longer than others, which wait for them.
#include <algorithm>
#include <numeric>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.05;  // of the run time: by which the longest rank exceeds the mean

// By how much a rank exceeds the mean of all ranks in the exclusive time of one path.
struct Excess {
    std::uint32_t path = no_index, rank = 0;
    double seconds = 0;
};

double mean_seconds(const RunFacts& run, std::uint32_t path) {
    return run.exclusive_seconds(path) / run.ranks;
}

Excess largest_excess(const RunFacts& run, std::uint32_t path) {
    const double mean = mean_seconds(run, path);
    if (const RankValues* values = run.values_of(path)) {
        const auto most =
            std::max_element(values->exclusive_ns.begin(), values->exclusive_ns.end());
        return {path, static_cast<std::uint32_t>(most - values->exclusive_ns.begin()),
                static_cast<double>(*most) / 1e9 - mean};
    }
    if (path >= run.profile.spread.size())
        return {};
    const RankSpread& spread = run.profile.spread[path];
    return {path, spread.max_rank, static_cast<double>(spread.max_ns) / 1e9 - mean};
}

double excess_of_rank(const RunFacts& run, std::uint32_t path, std::uint32_t rank) {
    if (const RankValues* values = run.values_of(path))
        return static_cast<double>(values->exclusive_ns[rank]) / 1e9 - mean_seconds(run, path);
    const Excess largest = largest_excess(run, path);
    return largest.rank == rank ? largest.seconds : 0;
}

// The path in which the rank exceeds the mean by the largest time.
Excess place_of_excess(const RunFacts& run, std::uint32_t rank) {
    Excess most;
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++)
        if (run.is_own_code(i))
            if (const double seconds = excess_of_rank(run, i, rank); seconds > most.seconds)
                most = {i, rank, seconds};
    return most;
}

constexpr const char* next_step =
    "Give that rank less work, or balance the load while the program runs. \"vftrace report "
    "--table ranks FILE\" shows the imbalance by rank, and \"--imbalances\" that of call paths "
    "that all ranks have.";

void find_whole(const RunFacts& run, std::string_view rule, double waiting, RunFindings& findings) {
    std::vector<double> ranks;
    for (std::size_t rank = 0; rank < run.times.ranks.size(); rank++)
        ranks.push_back(run.work_seconds(rank));
    const auto longest = std::max_element(ranks.begin(), ranks.end());
    const double most_s = *longest,
                 mean_s = std::accumulate(ranks.begin(), ranks.end(), 0.0) / run.ranks;
    if (!run.is_worth_it(most_s - mean_s, least_share))
        return;
    RunFinding finding = run.finding(rule, most_s - mean_s);
    finding.rank = run.profile.ranks[static_cast<std::size_t>(longest - ranks.begin())].rank;
    const Excess most = place_of_excess(run, finding.rank);
    finding.sentence =
        format("Rank %u computes for %s, %s longer than the mean of %zu ranks (load balance %.2f)",
               finding.rank, seconds_text(most_s).c_str(), seconds_text(most_s - mean_s).c_str(),
               ranks.size(), mean_s / most_s);
    const bool has_place = most.path != no_index && most.seconds >= (most_s - mean_s) / 2;
    if (has_place) {
        finding.path = most.path;
        finding.sentence += "; most of the excess is in " + run.place(most.path);
    }
    finding.sentence += ".";
    finding.reason = format("The others wait for it: ranks spend %s of their time in MPI.",
                            percent_text(waiting / run.elapsed_s).c_str());
    finding.confidence = has_place ? Confidence::certain : Confidence::likely;
    finding.next_step = next_step;
    findings.push_back(std::move(finding));
}

// Ranks may have equal total times, and still wait for each other in one phase after the other.
void find_in_paths(const RunFacts& run, std::string_view rule, double waiting,
                   RunFindings& findings) {
    constexpr std::size_t most_paths = 2;
    const std::uint32_t known = findings.empty() ? no_index : findings.back().rank;
    std::vector<Excess> paths;
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++) {
        const Excess excess = run.is_own_code(i) ? largest_excess(run, i) : Excess{};
        if (excess.path != no_index && excess.rank != known &&
            run.is_worth_it(std::min(excess.seconds, waiting), least_share))
            paths.push_back(excess);
    }
    std::stable_sort(paths.begin(), paths.end(),
                     [](const Excess& a, const Excess& b) { return a.seconds > b.seconds; });
    for (std::size_t i = 0; i < std::min(paths.size(), most_paths); i++) {
        RunFinding finding = run.finding(rule, std::min(paths[i].seconds, waiting));
        finding.path = paths[i].path;
        finding.rank = paths[i].rank;
        finding.sentence = format("Rank %u spends %s more than the mean of %.0f ranks in %s.",
                                  finding.rank, seconds_text(paths[i].seconds).c_str(), run.ranks,
                                  run.place(paths[i].path).c_str());
        finding.reason = "Other ranks have as much work elsewhere, but with communication in "
                         "between, ranks wait for each other in turn.";
        finding.confidence = Confidence::possible;
        finding.next_step = next_step;
        findings.push_back(std::move(finding));
    }
}

}  // namespace

void find_load_imbalance(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    if (run.times.ranks.size() < 2)
        return;
    double waiting = 0;
    for (const RankTime& rank : run.times.ranks)
        waiting += rank.mpi / 1e9 / run.ranks;
    RunFindings own;
    find_whole(run, rule, waiting, own);
    find_in_paths(run, rule, waiting, own);
    findings.insert(findings.end(), own.begin(), own.end());
}

}  // namespace vftrace
