// Estimates from the counts of a thinned node.
//
// Estimate and standard error are those of a weighted mean of a sample from a finite population (W.
// G. Cochran, Sampling Techniques, 3rd ed., chapters 2 and 6); the weights are the strides, which
// are drawn independently of the times.
#include "record/thinned_time.hpp"

#include <algorithm>

#include "base/relaxed.hpp"

namespace vftrace {
namespace {

// The calls in the strides that were drawn that have not been made yet.
std::uint64_t calls_to_come(const Node& node) {
    const std::int32_t timing = relaxed(node.timing);
    if (timing <= 0)
        return 0;
    const std::int32_t end = timing <= timed_call_due ? timed_call_due : muted_calls_end;
    return static_cast<std::uint64_t>(std::max(end - timing, 0));
}

// The calls that are not represented by a timed call (yet).
std::uint64_t untimed_stride(const Node& node) {
    const std::int32_t timing = relaxed(node.timing);
    if (timing <= 0)
        return 0;
    return relaxed(node.stride);
}

}  // namespace

CallsByTiming calls_by_timing(const Node& node) {
    const std::uint64_t calls = relaxed(node.calls), nested = relaxed(node.nested_calls);
    const std::uint64_t outermost = calls - std::min(calls, nested);
    const std::uint64_t drawn = relaxed(node.thinned_calls);
    const std::uint64_t thinned = std::min(drawn - std::min(drawn, calls_to_come(node)), outermost);
    return {outermost - thinned, thinned,
            std::min<std::uint64_t>(relaxed(node.timed_calls), thinned)};
}

ThinnedTime thinned_time(const Node& node) {
    const CallsByTiming calls = calls_by_timing(node);
    if (calls.timed == 0)
        return {0.0, 0.0};
    const auto timed = static_cast<double>(calls.timed);
    const auto thinned = static_cast<double>(calls.thinned);
    const std::uint64_t all_drawn = relaxed(node.thinned_calls);
    const auto drawn = static_cast<double>(all_drawn - std::min(all_drawn, untimed_stride(node)));
    const double weights = drawn > 0 ? drawn : thinned;
    const double mean = static_cast<double>(relaxed(node.weighted_ticks)) / weights;
    if (calls.timed == 1)
        return {thinned * mean, thinned > 1 ? thinned * mean : 0.0};
    const auto squares = static_cast<double>(relaxed(node.ticks_squares));
    const double variance = std::max(squares / timed - mean * mean, 0.0) * timed / (timed - 1);
    const double relative = static_cast<double>(relaxed(node.weight_squares)) / (weights * weights);
    const double unknown = 1.0 - timed / thinned;
    return {thinned * mean, thinned * __builtin_sqrt(variance * relative * unknown)};
}

}  // namespace vftrace
