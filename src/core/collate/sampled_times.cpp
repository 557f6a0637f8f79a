#include "collate/sampled_times.hpp"

#include <algorithm>

namespace vftrace {
namespace {

bool is_sampled(const Node& node) {
    return (__atomic_load_n(&node.flags, __ATOMIC_RELAXED) & node_sampled) != 0;
}

std::int64_t plausible_ticks(const std::uint64_t& ticks) {
    constexpr std::uint64_t most = std::uint64_t{1} << 61;
    return static_cast<std::int64_t>(std::min(__atomic_load_n(&ticks, __ATOMIC_RELAXED), most));
}

std::int64_t sampled_ticks(const Node& node) { return plausible_ticks(node.weighted_ticks); }

}  // namespace

void add_sampled_variances(std::vector<NodeTimes>& times) {
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (!is_sampled(*own.node) || is_bookkeeping(*own.node))
            continue;
        // Numbers of samples vary at most as much as in a Poisson distribution.
        if (const auto samples = static_cast<double>(samples_of(*own.node)); samples > 0) {
            const auto ticks = static_cast<double>(sampled_ticks(*own.node));
            own.exclusive_variance += ticks * ticks / samples;
            own.active_variance += ticks * ticks / samples;
        }
        if (is_sampled(*times[own.parent].node))
            times[own.parent].active_variance += own.active_variance;
    }
}

std::uint64_t samples_of(const Node& node) {
    return is_sampled(node) ? __atomic_load_n(&node.timed_calls, __ATOMIC_RELAXED) : 0;
}

std::uint64_t page_faults_of(const Node& node) {
    return is_sampled(node) ? __atomic_load_n(&node.weight_squares, __ATOMIC_RELAXED) : 0;
}

std::int64_t kernel_ticks_of(const Node& node) {
    return is_sampled(node) ? plausible_ticks(node.ticks_squares) : 0;
}

void add_sampled_times(std::vector<NodeTimes>& times) {
    if (std::none_of(times.begin(), times.end(),
                     [](const NodeTimes& own) { return is_sampled(*own.node); }))
        return;
    std::vector<std::int64_t> called(times.size(), 0);  // time of the callees
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (is_bookkeeping(*own.node) || own.is_paused())
            continue;
        if (is_sampled(*own.node)) {
            own.active = sampled_ticks(*own.node);
            add_saturating(own.active, called[i]);
        } else {
            own.active = std::max(own.active, called[i]);
        }
        add_saturating(called[own.parent], own.active);
    }
}

}  // namespace vftrace
