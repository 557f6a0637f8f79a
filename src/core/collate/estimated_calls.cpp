// How often functions whose hooks were removed were called.
#include "collate/estimated_calls.hpp"

#include <algorithm>
#include <span>

#include "base/relaxed.hpp"

namespace vftrace {

std::vector<std::uint64_t> estimated_calls(const NodePaths::Thread& thread, std::size_t nodes) {
    constexpr double most_calls = 0x1p63;
    const std::span<const CallRatio> ratios = items_of(thread.record->call_ratios);
    if (ratios.empty())
        return {};
    std::vector<float> ratio_of(nodes, 0.0f);
    for (const CallRatio& ratio : ratios)
        if (ratio.node < nodes && ratio.calls > 0)
            ratio_of[ratio.node] = ratio.calls;
    std::vector<std::uint64_t> estimated(nodes, 0);
    // Callers have smaller numbers.
    for (const Node* node = thread.record->root; node && node->number < nodes;
         node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE)) {
        const std::uint32_t i = node->number;
        if (!thread.is_removed(i) || !(ratio_of[i] > 0) || !node->parent ||
            node->parent->number >= i)
            continue;
        const Node& caller = *node->parent;
        const bool caller_has_hooks = !thread.is_filtered(caller.number);
        if (!caller_has_hooks && estimated[caller.number] == 0)
            continue;
        const double calls = static_cast<double>(ratio_of[i]) *
                             static_cast<double>(caller_has_hooks ? relaxed(caller.calls)
                                                                  : estimated[caller.number]);
        estimated[i] = std::max(relaxed(node->calls),
                                static_cast<std::uint64_t>(std::min(calls + 0.5, most_calls)));
    }
    return estimated;
}

}  // namespace vftrace
