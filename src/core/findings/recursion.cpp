// Recursion that spreads a function's time over many call paths.
#include <algorithm>
#include <vector>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_part = 0.3, least_seconds = 0.1;
constexpr std::uint32_t fewest_levels = 4;

struct Recursion {
    double seconds = 0;  // of the function, exclusive
    std::uint32_t levels = 0, first = no_index;
    bool folded = false;
    std::uint32_t open = 0, outermost = no_index;  // on the path to where the visit is
};

// Visits all paths, callers first, as enter(path) and leave(path), so that recursion of any depth
// is found in one pass.
template <class Enter, class Leave>
void visit_paths(const std::vector<Path>& paths, Enter enter, Leave leave) {
    std::vector<std::uint32_t> first_callee(paths.size(), no_index), next(paths.size(), no_index);
    for (auto i = static_cast<std::uint32_t>(paths.size()); i-- > 0;)
        if (const std::uint32_t caller = paths[i].parent; caller != no_index) {
            next[i] = first_callee[caller];
            first_callee[caller] = i;
        }
    for (std::uint32_t root = 0; root < paths.size(); root++) {
        if (paths[root].parent != no_index)
            continue;
        for (std::uint32_t at = root; at != no_index;) {
            enter(at);
            std::uint32_t following = first_callee[at];
            while (following == no_index && at != no_index) {
                leave(at);
                following = next[at];
                at = following == no_index ? paths[at].parent : at;
            }
            at = following;
        }
    }
}

}  // namespace

// A remark, because recursion is not a fault, but changes how the profile has to be read.
void find_recursion(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    std::vector<Recursion> of_function(profile.functions.size());
    const auto enter = [&](std::uint32_t i) {
        Recursion& recursion = of_function[profile.paths[i].function];
        if (recursion.open++ == 0)
            recursion.outermost = i;
        if (!run.is_own_code(i))
            return;
        recursion.folded |= (profile.paths[i].flags & path_recursion_folded) != 0;
        recursion.seconds += run.exclusive_seconds(i);
        if (recursion.open > recursion.levels) {
            recursion.levels = recursion.open;
            recursion.first = recursion.outermost;
        }
    };
    visit_paths(profile.paths, enter,
                [&](std::uint32_t i) { of_function[profile.paths[i].function].open--; });
    const auto most = std::max_element(of_function.begin(), of_function.end(),
                                       [](const Recursion& a, const Recursion& b) {
                                           return (a.levels >= fewest_levels ? a.seconds : 0) <
                                                  (b.levels >= fewest_levels ? b.seconds : 0);
                                       });
    if (most == of_function.end() || most->levels < fewest_levels ||
        run.exclusive_s < least_seconds * run.ranks || most->seconds < least_part * run.exclusive_s)
        return;
    RunFinding finding = run.finding(rule, 0);
    finding.path = most->first;
    finding.share = most->seconds / run.exclusive_s;
    finding.sentence = format("%s of the time is spent in the recursion of %s, %u%s levels deep.",
                              percent_text(finding.share).c_str(), run.place(most->first).c_str(),
                              most->levels, most->folded ? " or more" : "");
    finding.reason =
        most->folded ? "Its time is spread over one row per level; deeper levels are folded into "
                       "one (option max_recursion)."
                     : "Its time is spread over one row per level.";
    finding.confidence = Confidence::certain;
    finding.next_step = "\"vftrace report --group name FILE\" shows it in one row.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
