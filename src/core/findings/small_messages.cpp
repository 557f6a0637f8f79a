// Many small messages, each of which costs as much as a larger one.
#include <algorithm>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.03;
constexpr double largest_bytes = 1024, fewest_of_rank = 1000;
constexpr double longest_seconds = 30e-6;  // if a message takes longer, the rank waits for it
constexpr double saved_part = 0.9;         // if ten messages become one

}  // namespace

void find_small_messages(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    for (const PathMessages& row : run.profile.messages) {
        if (run.kind(row.path) != NodeKind::mpi ||
            mpi_call(run.name(row.path)) != MpiCall::point_to_point)
            continue;
        const auto messages = static_cast<double>(row.sent.messages + row.received.messages);
        const double mean =
            static_cast<double>(row.sent.bytes + row.received.bytes) / std::max(messages, 1.0);
        const double seconds = run.exclusive_seconds(row.path);
        const double saved = saved_part * seconds / run.ranks;
        if (messages < fewest_of_rank * run.ranks || mean > largest_bytes ||
            seconds > longest_seconds * messages || !run.is_worth_it(saved, least_share))
            continue;
        RunFinding finding = run.finding(rule, saved);
        finding.path = row.path;
        finding.sentence =
            format("%s messages per rank, of %.0f bytes on average, take %s in %s.",
                   count_text(messages / run.ranks).c_str(), mean,
                   seconds_text(seconds / run.ranks).c_str(), run.place(row.path).c_str());
        finding.reason = format("Each takes %.1f us, which is mostly the fixed cost of a message: "
                                "combining ten into one would save nine tenths.",
                                1e6 * seconds / messages);
        finding.confidence = Confidence::likely;
        finding.next_step =
            "Combine messages to the same rank; \"vftrace report --sizes FILE\" shows the sizes, "
            "\"--matrix\" the partners.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
