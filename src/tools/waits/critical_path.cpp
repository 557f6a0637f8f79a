#include "waits/critical_path.hpp"

#include <algorithm>

namespace vftrace {

void walk_critical_path(const RunTraces& traces, const SpilledList<FoundWait>& waits,
                        SpilledList<CriticalStretch>& stretches) {
    const std::vector<RankTrace>& ranks = traces.ranks();
    const auto last =
        std::max_element(ranks.begin(), ranks.end(), [](const RankTrace& a, const RankTrace& b) {
            return a.end_ns() < b.end_ns();
        });
    std::uint32_t rank = static_cast<std::uint32_t>(last - ranks.begin()), thread = 0;
    std::int64_t end = last->end_ns();
    const std::span<const FoundWait> all = waits.items();
    for (std::size_t i = all.size(); i-- > 0;) {
        const FoundWait& wait = all[i];
        if (wait.place.rank != rank || wait.place.thread != thread || wait.end > end)
            continue;
        stretches.add({rank, thread, wait.end, end});
        rank = wait.cause_rank;
        thread = wait.cause_thread;
        end = wait.end;
    }
    stretches.add({rank, thread, std::min(ranks[rank].begin_ns(), end), end});
}

}  // namespace vftrace
