// Much of the time is spent in MPI.
//
// A rank may be early in one call and late in the next: the totals of each rank are then equal,
// and no other rule sees that ranks wait.
#include <algorithm>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.3;
// A slow network, as in message_wait.cpp.
constexpr double bytes_per_second = 1e8, seconds_per_message = 20e-6;

}  // namespace

void find_communication(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    if (profile.ranks.size() < 2)
        return;
    double seconds = 0, moving = 0;
    std::uint32_t longest = no_index;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (run.kind(i) != NodeKind::mpi || mpi_call(run.name(i)) == MpiCall::start_or_end)
            continue;
        seconds += run.exclusive_seconds(i);
        if (longest == no_index || run.exclusive_seconds(i) > run.exclusive_seconds(longest))
            longest = i;
    }
    seconds /= run.ranks;
    if (longest == no_index || !run.is_worth_it(seconds, least_share))
        return;
    for (const PathMessages& row : profile.messages)
        for (const MessageFigures* figures : {&row.sent, &row.received})
            moving += static_cast<double>(figures->bytes) / bytes_per_second +
                      static_cast<double>(figures->messages) * seconds_per_message;
    moving /= run.ranks;
    const double waiting = seconds - std::min(moving, seconds);
    RunFinding finding = run.finding(rule, seconds);
    finding.path = longest;
    finding.sentence =
        format("%s of the time, %s per rank, is spent in MPI, the largest part (%s) in %s.",
               percent_text(seconds / run.elapsed_s).c_str(), seconds_text(seconds).c_str(),
               percent_text(run.exclusive_seconds(longest) / run.ranks / run.elapsed_s).c_str(),
               run.place(longest).c_str());
    finding.reason =
        profile.messages.empty() ? "Whether ranks wait there or move data is not known: messages "
                                   "were not recorded."
        : waiting >= seconds / 2
            ? format("Moving the messages would take %s per rank even on a slow network, so ranks "
                     "wait for each other, possibly in turn: their totals do not show which.",
                     seconds_text(moving).c_str())
            : format("On a slow network (100 MB/s), moving the messages takes up to %s per rank.",
                     seconds_text(moving).c_str());
    finding.confidence = Confidence::certain;
    finding.next_step =
        run.traces_were_analysed()
            ? "\"--waits\", added to this command, shows who waits for whom."
            : "With a trace (vftrace run --trace), \"vftrace report FILE *.vfd\" shows who waits "
              "for whom; \"vftrace report --matrix FILE\" shows who sends how much to whom.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
