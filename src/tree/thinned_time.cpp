// What the counts of a thinned node say.
//
// Estimate and standard error are those of a mean of clusters of known sizes (W. G. Cochran,
// Sampling Techniques, 3rd ed., chapters 2 and 6), the strides being drawn independently of the
// times.
#include "tree/thinned_time.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// Any stride is shorter: nodes that are mute count down from far above.
constexpr std::int32_t longest_stride = 1 << 16;

template <class Value>
Value relaxed(const Value& value) {
    return __atomic_load_n(&value, __ATOMIC_RELAXED);
}

}  // namespace

CallsByTiming calls_by_timing(const Node& node) {
    const std::uint64_t calls = relaxed(node.calls), nested = relaxed(node.nested_calls);
    const std::uint64_t outermost = calls - std::min(calls, nested);
    const std::int32_t to_come = std::max(relaxed(node.untimed_left), 0);
    std::uint64_t thinned = relaxed(node.thinned_calls);
    thinned = std::min(
        thinned - std::min<std::uint64_t>(thinned, static_cast<std::uint64_t>(to_come)), outermost);
    return {outermost - thinned, thinned,
            std::min<std::uint64_t>(relaxed(node.timed_calls), thinned)};
}

ThinnedTime thinned_time(const Node& node) {
    const CallsByTiming calls = calls_by_timing(node);
    if (calls.timed == 0)
        return {0.0, 0.0};
    const auto timed = static_cast<double>(calls.timed);
    const auto thinned = static_cast<double>(calls.thinned);
    const auto squares = static_cast<double>(relaxed(node.ticks_squares));
    const auto weight_squares = static_cast<double>(relaxed(node.weight_squares));
    // The strides of the timed calls: all that were drawn but the last one.
    const auto drawn = static_cast<double>(relaxed(node.thinned_calls));
    const std::int32_t left = relaxed(node.untimed_left);
    const double open = left < 0                ? 0.0
                        : left > longest_stride ? static_cast<double>(muted_calls)
                                                : relaxed(node.stride);
    const double weights = open < drawn ? drawn - open : thinned;
    const double mean = static_cast<double>(relaxed(node.weighted_ticks)) / weights;
    if (calls.timed == 1)
        return {thinned * mean, thinned * mean};
    const double variance = std::max(squares / timed - mean * mean, 0.0) * timed / (timed - 1);
    return {thinned * mean, thinned * __builtin_sqrt(variance * weight_squares) / weights};
}

}  // namespace vftrace
