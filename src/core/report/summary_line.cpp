#include "report/summary_line.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "report/path_text.hpp"
#include "report/rows.hpp"

namespace vftrace {

std::string summary_line(const Profile& profile, const std::string& log) {
    constexpr std::size_t most_functions = 3, width = 40;
    std::vector<double> times(profile.functions.size());
    double total = 0;
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        if (is_paused(profile, i))
            continue;
        total += static_cast<double>(path.exclusive_ns);
        if (path.parent != no_index)  // the root stands for the run
            times[path.function] += static_cast<double>(path.exclusive_ns);
    }
    std::vector<std::uint32_t> order(times.size());
    std::iota(order.begin(), order.end(), 0u);
    const std::size_t shown = std::min(most_functions, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown),
                      order.end(), [&](std::uint32_t a, std::uint32_t b) {
                          return times[a] == times[b] ? a < b : times[a] > times[b];
                      });
    const CLocale decimal_points;
    const PathText text(profile, width);
    std::string line = "profile in " + printable(log);
    constexpr double least_share = 0.0005;  // less would be shown as 0.0 %
    for (std::size_t i = 0; i < shown && times[order[i]] >= least_share * total && total > 0; i++)
        line += (i == 0 ? "; most time in " : ", ") + text.name(order[i]) +
                format(" (%.1f %%)", 100 * times[order[i]] / total);
    return line;
}

}  // namespace vftrace
