// Ranks that others wait for, and what they do meanwhile, from traces.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "findings/rules.hpp"
#include "profile/profile_json_words.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.03;
constexpr double worth_naming = 0.1;  // part of the time that others wait for a rank
constexpr std::size_t most_causes = 2;

struct Cause {
    std::uint32_t rank, path;
    std::int64_t ns = 0;  // for which others waited, summed over all of them
    // The largest part of that, and the second largest: in another place or of another kind.
    const WaitCause *most = nullptr, *second = nullptr;

    void add(const WaitCause& cause) {
        ns += cause.ns;
        if (!most || cause.ns > most->ns)
            second = std::exchange(most, &cause);
        else if (!second || cause.ns > second->ns)
            second = &cause;
    }
};

// "1.20 s in MPI_Recv, called by step < main (late-sender)".
std::string waiting_text(const RunFacts& run, const WaitCause& cause) {
    using namespace profile_json;
    return format("%s in %s (%s)", seconds_text(static_cast<double>(cause.ns) / 1e9).c_str(),
                  run.place(cause.waiting_path).c_str(),
                  word_of(wait_pattern_words, cause.pattern).data());
}

}  // namespace

// Only profiles to which the waits of traces were added have causes.
void find_late_rank(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    std::vector<Cause> causes;
    for (const WaitCause& cause : run.profile.wait_causes) {  // sorted by rank and path
        if (causes.empty() || causes.back().rank != cause.rank || causes.back().path != cause.path)
            causes.push_back({cause.rank, cause.path});
        causes.back().add(cause);
    }
    std::erase_if(causes, [&](const Cause& cause) {
        return !run.is_worth_it(static_cast<double>(cause.ns) / 1e9 / run.ranks, least_share);
    });
    std::stable_sort(causes.begin(), causes.end(),
                     [](const Cause& a, const Cause& b) { return a.ns > b.ns; });
    for (std::size_t i = 0; i < std::min(causes.size(), most_causes); i++) {
        const Cause& cause = causes[i];
        RunFinding finding = run.finding(rule, static_cast<double>(cause.ns) / 1e9 / run.ranks);
        finding.path = cause.path;
        finding.rank = cause.rank;
        finding.sentence =
            format("Ranks wait for rank %u: %s each on average, %s of the time, while it is in %s.",
                   cause.rank, seconds_text(finding.saved_seconds).c_str(),
                   percent_text(finding.share).c_str(), run.place(cause.path).c_str());
        finding.reason =
            "All ranks together wait " + waiting_text(run, *cause.most) +
            (cause.second && cause.second->ns >= worth_naming * static_cast<double>(cause.ns)
                 ? ", and " + waiting_text(run, *cause.second)
                 : "") +
            ".";
        const bool waits_itself = run.kind(cause.path) == NodeKind::mpi;
        finding.confidence = waits_itself ? Confidence::possible : Confidence::certain;
        finding.next_step =
            waits_itself
                ? "That rank is itself waiting there: the critical path leads to the rank that all "
                  "of them wait for. \"--waits\", added to this command, shows it."
                : "\"--waits\", added to this command, shows which ranks wait where, and for what.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
