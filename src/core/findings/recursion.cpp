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
};

}  // namespace

// A remark, because recursion is not a fault, but changes how the profile has to be read.
void find_recursion(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const Profile& profile = run.profile;
    std::vector<Recursion> of_function(profile.functions.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        if (!run.is_own_code(i))
            continue;
        const std::uint32_t function = profile.paths[i].function;
        std::uint32_t levels = 1, outermost = i;
        for (std::uint32_t p = profile.paths[i].parent; p != no_index; p = profile.paths[p].parent)
            if (profile.paths[p].function == function) {
                levels++;
                outermost = p;
            }
        Recursion& recursion = of_function[function];
        recursion.folded |= (profile.paths[i].flags & path_recursion_folded) != 0;
        recursion.seconds += run.exclusive_seconds(i);
        if (levels > recursion.levels) {
            recursion.levels = levels;
            recursion.first = outermost;
        }
    }
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
