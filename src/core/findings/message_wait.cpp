// Ranks that wait for point-to-point messages much longer than it takes to move them.
#include <algorithm>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.05;
// A slow network, so that time beyond what it takes is waiting: 100 MB/s, 20 us per message.
constexpr double bytes_per_second = 1e8, seconds_per_message = 20e-6;
constexpr std::size_t most_paths = 2;

bool is_point_to_point(const RunFacts& run, std::uint32_t path) {
    return run.kind(path) == NodeKind::mpi && mpi_call(run.name(path)) == MpiCall::point_to_point;
}

}  // namespace

void find_message_wait(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    if (profile.ranks.size() < 2)
        return;
    double messages = 0, bytes = 0, seconds = 0;
    for (const PathMessages& row : profile.messages)
        if (is_point_to_point(run, row.path))
            for (const MessageFigures* figures : {&row.sent, &row.received}) {
                messages += static_cast<double>(figures->messages);
                bytes += static_cast<double>(figures->bytes);
            }
    std::vector<std::uint32_t> paths;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++)
        if (is_point_to_point(run, i) && profile.paths[i].exclusive_ns > 0) {
            seconds += run.exclusive_seconds(i);
            paths.push_back(i);
        }
    const double moving = bytes / bytes_per_second + messages * seconds_per_message;
    if (messages == 0 || moving > seconds / 2)  // 0: messages were not recorded
        return;
    const double waiting = 1 - moving / seconds;
    std::stable_sort(paths.begin(), paths.end(), [&](std::uint32_t a, std::uint32_t b) {
        return run.exclusive_seconds(a) > run.exclusive_seconds(b);
    });
    for (std::size_t i = 0; i < std::min(paths.size(), most_paths); i++) {
        const std::uint32_t path = paths[i];
        const double saved = waiting * run.exclusive_seconds(path) / run.ranks;
        if (!run.is_worth_it(saved, least_share))
            break;
        RunFinding finding = run.finding(rule, saved);
        finding.path = path;
        finding.sentence = format("Ranks wait %s on average, %s of the time, for messages in %s",
                                  seconds_text(saved).c_str(), percent_text(finding.share).c_str(),
                                  run.place(path).c_str());
        if (path < profile.spread.size() && profile.spread[path].ranks > 0) {
            const RankSpread& spread = profile.spread[path];
            finding.rank = spread.max_rank;
            finding.sentence +=
                format("; rank %u waits longest, %s", spread.max_rank,
                       seconds_text(static_cast<double>(spread.max_ns) / 1e9).c_str());
        }
        finding.sentence += ".";
        finding.reason = format(
            "Point-to-point calls take %s per rank, but even a slow network (100 MB/s) would "
            "move the %s messages of a rank in %s, so partners are late.",
            seconds_text(seconds / run.ranks).c_str(), count_text(messages / run.ranks).c_str(),
            seconds_text(moving / run.ranks).c_str());
        finding.confidence = Confidence::likely;
        finding.next_step =
            std::string(run.traces_were_analysed()
                            ? "\"--waits\", added to this command, shows which ranks send late. "
                            : "With a trace (vftrace run --trace), \"vftrace report FILE *.vfd\" "
                              "shows which ranks send late. ") +
            "\"vftrace report --matrix FILE\" shows the communication matrix.";
        findings.push_back(std::move(finding));
    }
}

}  // namespace vftrace
