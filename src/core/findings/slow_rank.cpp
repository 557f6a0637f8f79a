// A rank, or all ranks of a host, that take longer than others for the same calls everywhere.
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.05, least_slowness = 1.10;
constexpr double least_part_of_path = 0.01, almost_all = 0.8;
constexpr std::size_t fewest_ranks = 3, fewest_paths = 3;

// The lower one if there are two, because half of the ranks may be slow.
double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The program's own paths that all ranks call equally often, with the median of their times.
struct SharedPath {
    const RankValues* values;
    double median_ns;
};

std::vector<SharedPath> shared_paths(const RunFacts& run) {
    std::vector<SharedPath> paths;
    for (const RankValues& row : run.profile.rank_values) {
        if (!run.is_own_code(row.path) || run.values_of(row.path) == nullptr ||
            run.exclusive_seconds(row.path) < least_part_of_path * run.exclusive_s)
            continue;
        const bool same = std::all_of(row.calls.begin(), row.calls.end(), [&](std::uint64_t calls) {
            return calls == row.calls.front();
        });
        const double middle =
            median(std::vector<double>(row.exclusive_ns.begin(), row.exclusive_ns.end()));
        if (same && middle > 0)
            paths.push_back({&row, middle});
    }
    return paths;
}

// The mean factor by which a rank exceeds the medians, over the paths in which it is slow; 1 if
// these are not almost all paths, by their time.
double slowness(const std::vector<SharedPath>& paths, std::size_t rank) {
    double whole = 0, slow = 0, time = 0, of_others = 0;
    for (const SharedPath& path : paths) {
        const auto own = static_cast<double>(path.values->exclusive_ns[rank]);
        whole += path.median_ns;
        if (own < least_slowness * path.median_ns)
            continue;
        slow += path.median_ns;
        time += own;
        of_others += path.median_ns;
    }
    return slow >= almost_all * whole && of_others > 0 ? time / of_others : 1;
}

}  // namespace

void find_slow_rank(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const std::size_t ranks = run.profile.ranks.size();
    if (ranks < fewest_ranks || run.times.ranks.size() != ranks)
        return;
    const std::vector<SharedPath> paths = shared_paths(run);
    if (paths.size() < fewest_paths)
        return;
    std::vector<std::size_t> slow;
    double most = 1;
    for (std::size_t rank = 0; rank < ranks; rank++)
        if (const double factor = slowness(paths, rank); factor > 1) {
            if (factor > most)
                slow.insert(slow.begin(), rank);  // the slowest one first
            else
                slow.push_back(rank);
            most = std::max(most, factor);
        }
    if (slow.empty() || slow.size() > ranks / 2)
        return;
    const auto& host = run.profile.ranks[slow.front()].host;
    const auto is_there = [&](std::size_t rank) { return run.profile.ranks[rank].host == host; };
    std::size_t ranks_there = 0;
    for (std::size_t rank = 0; rank < ranks; rank++)
        ranks_there += is_there(rank);
    const bool whole_host = slow.size() > 1 && slow.size() == ranks_there &&
                            std::all_of(slow.begin(), slow.end(), is_there);
    double outside = 0;
    for (const RankTime& rank : run.times.ranks)
        outside += rank.outside() / 1e9 / run.ranks;
    const double own = run.times.ranks[slow.front()].outside() / 1e9;
    const double saved = std::min(own - own / most, own - outside);
    if (!run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.rank = run.profile.ranks[slow.front()].rank;
    const std::string who =
        whole_host
            ? "Host " + host + " (all of its ranks)"
            : format("Rank %u on %s%s", finding.rank, host.c_str(),
                     slow.size() > 1 ? format(", like %zu more,", slow.size() - 1).c_str() : "");
    finding.sentence = format(
        "%s takes %.2f times as long as other ranks for the same calls, in all of its computation.",
        who.c_str(), most);
    finding.reason = format(
        "This is true of almost all of the %zu call paths that all ranks call equally often: %s",
        paths.size(),
        whole_host ? "its processors are slower, or something else runs there."
                   : "its processor is slower, something else runs there, or the rank has more "
                     "data in all of these paths.");
    finding.confidence = whole_host ? Confidence::likely : Confidence::possible;
    finding.next_step =
        "Compare clock rates and other load of the hosts (region_report.active reads "
        "frequencies), and check that each rank is pinned to its own processors.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
