#include "collate/latencies.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"

namespace vftrace {

void LatenciesSum::add(const LatencyRow& row, std::uint32_t path) {
    PathLatencies& sum = of_path_[path];
    for (std::uint32_t i = 0; i < bins_of_power; i++) {
        const std::uint64_t calls = relaxed(row.calls[i]);
        const std::uint32_t bin = std::max(bins_of_power * row.power + i, first_bin);
        const std::uint64_t start = start_of_bin(bin);
        const std::uint64_t width = start_of_bin(bin + 1) - start;
        const std::int64_t ns =
            saturated_ns(static_cast<double>(start) + static_cast<double>(width) / 2, ns_per_tick_);
        if (calls > 0 && ns >= static_cast<std::int64_t>(least_latency_ns))
            sum.bins.push_back({latency_bin(static_cast<std::uint64_t>(ns)), calls});
    }
    const auto end = static_cast<std::int64_t>(relaxed(row.longest_end) - start_);
    sum.longest =
        std::max(sum.longest,
                 {saturated_ns(static_cast<double>(relaxed(row.longest)), ns_per_tick_),
                  std::max<std::int64_t>(saturated_ns(static_cast<double>(end), ns_per_tick_), 0),
                  profile_.run.rank});
}

void LatenciesSum::add(const NodePaths::Thread& thread) {
    // The calls of a filtered node are not calls of the path that has its time.
    const auto path_of = [&](const Node& node) {
        const std::uint32_t number = node.number;
        const bool is_own = number < thread.path_of.size() &&
                            (thread.filtered.empty() || thread.filtered[number] == no_index) &&
                            (thread.clones.empty() || !thread.clones[number]);
        return is_own ? thread.path_of[number] : no_index;
    };
    const Node* node = thread.record->root;
    for (std::size_t i = 0; node && i < thread.path_of.size();
         i++, node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
        if (const std::uint64_t nested = relaxed(node->nested_calls))
            if (const std::uint32_t path = path_of(*node); path != no_index)
                add_saturating(nested_calls_[path], nested);
    for (const LatencyRow* row = __atomic_load_n(&thread.record->latencies.first, __ATOMIC_ACQUIRE);
         row; row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE))
        if (const std::uint32_t path = path_of(*row->node); path != no_index)
            add(*row, path);
}

// What is said of a single call is in the path's time already.
void LatenciesSum::finish() {
    for (std::uint32_t path = 0; path < of_path_.size(); path++) {
        PathLatencies& row = of_path_[path];
        const std::uint64_t calls = profile_.paths[path].calls;
        row.path = path;
        row.calls = calls - std::min(calls, nested_calls_[path]);
        sort_and_add_up(row.bins);
        if (row.calls > 1 && !row.bins.empty())
            profile_.latencies.push_back(std::move(row));
    }
}

}  // namespace vftrace
