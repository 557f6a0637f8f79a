// Ranks that wait for others in collectives.
#include <algorithm>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.03;
constexpr std::size_t most_paths = 2;

struct Wait {
    std::uint32_t path;
    MpiCall call;
    double seconds;  // mean of the ranks
};

}  // namespace

// The rank with the least time in a collective arrives last and does not wait: the additional time
// of the other ranks is waiting. All time in the barriers of mpi.show_sync_time is waiting.
void find_collective_wait(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    if (profile.ranks.size() < 2)
        return;
    std::vector<Wait> waits;
    for (std::uint32_t i = 0; i < profile.spread.size(); i++) {
        const RankSpread& spread = profile.spread[i];
        if (run.kind(i) != NodeKind::mpi || spread.ranks != profile.ranks.size())
            continue;
        const MpiCall call = mpi_call(run.name(i));
        if (call != MpiCall::all_to_all && call != MpiCall::collective && call != MpiCall::waiting)
            continue;
        const double least =
            call == MpiCall::waiting ? 0 : static_cast<double>(spread.min_ns) / 1e9;
        const double seconds = run.exclusive_seconds(i) / run.ranks - least;
        if (run.is_worth_it(seconds, least_share))
            waits.push_back({i, call, seconds});
    }
    std::stable_sort(waits.begin(), waits.end(),
                     [](const Wait& a, const Wait& b) { return a.seconds > b.seconds; });
    for (std::size_t i = 0; i < std::min(waits.size(), most_paths); i++) {
        const Wait& wait = waits[i];
        const RankSpread& spread = profile.spread[wait.path];
        RunFinding finding = run.finding(rule, wait.seconds);
        finding.path = wait.path;
        finding.rank = spread.min_rank;
        finding.sentence = format(
            "Ranks wait %s on average, %s of the time, in %s.", seconds_text(wait.seconds).c_str(),
            percent_text(finding.share).c_str(), run.place(wait.path).c_str());
        finding.reason = format(
            "Rank %u usually arrives last: it spends only %s there, while rank %u spends %s.",
            spread.min_rank, seconds_text(static_cast<double>(spread.min_ns) / 1e9).c_str(),
            spread.max_rank, seconds_text(static_cast<double>(spread.max_ns) / 1e9).c_str());
        finding.confidence = wait.call == MpiCall::waiting      ? Confidence::certain
                             : wait.call == MpiCall::all_to_all ? Confidence::likely
                                                                : Confidence::possible;
        finding.next_step =
            wait.call == MpiCall::waiting
                ? "See what that rank does before it: \"vftrace report --imbalances --minmax "
                  "FILE\"."
            : run.traces_were_analysed()
                ? "\"--waits\", added to this command, shows what the late rank does while the "
                  "others wait."
                : "With a trace (vftrace run --trace), \"vftrace report FILE *.vfd\" shows what "
                  "the late rank does while the others wait. The option mpi.show_sync_time "
                  "separates waiting from data transfer.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
