// Timing a fraction of the calls of nodes whose calls are short.
#include "tree/thinning.hpp"

#include <algorithm>

#include "tree/call_tree.hpp"
#include "tree/overhead_calls.hpp"
#include "tree/thinned_time.hpp"

namespace vftrace {
namespace {

// Short calls before a node is looked at, and how many calls they may be spread over.
constexpr std::uint32_t short_calls_needed = 32, among_calls = 64;
// Timed calls that were long, less those that were not, after which all are timed again.
constexpr std::uint8_t long_calls_needed = 8;
// Timed calls after which strides double.
constexpr std::uint32_t calls_a_stride = 256;
// A mutex or a page fault now and then must not overflow the sum of squares.
constexpr std::uint64_t longest_squared = std::uint64_t{1} << 27;

// Numbers from xorshift64 (G. Marsaglia, Xorshift RNGs, J. Stat. Software 8 (2003) 14).
std::uint64_t next_random(ThreadState& state) {
    std::uint64_t number = state.random;
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    return state.random = number;
}

void draw_stride(ThreadState& state, Node& node) {
    const std::uint64_t mean = std::uint64_t{1} << node.mean_stride_log2;
    const std::uint64_t stride = mean / 2 + (next_random(state) >> 32) % mean;
    set_shared(node.stride, static_cast<std::uint32_t>(stride));
    add_relaxed(node.thinned_calls, stride);
    set_shared(node.untimed_left, static_cast<std::int32_t>(stride - 1));
}

std::uint32_t timed_so_far(const Node& node) {
    return static_cast<std::uint32_t>(node.calls - node.nested_calls);
}

void watch_every_call(Node& node) {
    node.short_calls = 0;
    node.long_calls = 0;
    node.stride = timed_so_far(node);
}

}  // namespace

void review_if_due(ThreadState& state, std::uint64_t now) {
    if (overhead_calls && now >= shared(next_review)) [[unlikely]]
        overhead_calls->review(state, now);
}

void note_short_call(ThreadState& state, Node& node, std::uint64_t now) {
    if (++node.short_calls >= short_calls_needed) [[unlikely]] {
        const std::uint32_t among = timed_so_far(node) - node.stride;
        watch_every_call(node);
        if (tree_settings.thinning && among <= among_calls && node.kind == NodeKind::function &&
            node.untimed_left == every_call_timed &&
            !(node.flags & (node_precise | node_reads_counters))) {
            node.mean_stride_log2 =
                std::max(node.mean_stride_log2, static_cast<std::uint8_t>(first_stride_log2));
            draw_stride(state, node);
        }
    }
    review_if_due(state, now);
}

void note_thinned_call(ThreadState& state, Node& node, std::uint64_t ticks) {
    // A second activation of the path, in a fiber, has ended before this one; or a review wants its
    // hooks out, which the next call is to do.
    if (shared(node.untimed_left) != 0)
        return;
    const std::uint64_t stride = node.stride;
    add_relaxed(node.weighted_ticks, stride * ticks);
    add_relaxed(node.weight_squares, stride * stride);
    const std::uint64_t bounded = std::min(ticks, longest_squared);
    add_relaxed(node.ticks_squares, bounded * bounded);
    node.timed_calls++;
    if (ticks >= 2 * state.short_call) {
        if (++node.long_calls >= long_calls_needed) {
            watch_every_call(node);
            set_shared(node.untimed_left, every_call_timed);
            return;
        }
    } else if (node.long_calls > 0) {
        node.long_calls--;
    }
    if (node.timed_calls % calls_a_stride == 0 && node.mean_stride_log2 < last_stride_log2)
        node.mean_stride_log2++;
    draw_stride(state, node);
}

void mute(Node& node) {
    node.flags |= node_unwanted;
    add_relaxed(node.thinned_calls, muted_calls);
    set_shared(node.untimed_left, std::int32_t{muted_calls});
}

}  // namespace vftrace
