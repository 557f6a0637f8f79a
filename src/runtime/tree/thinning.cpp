#include "tree/thinning.hpp"

#include <algorithm>

namespace vftrace {

ThinningSettings thinning_settings;

namespace {

// Calls that a look examines, and how many of them may be long if the node is to be thinned.
constexpr std::uint8_t calls_of_look = 32, long_calls_allowed = 8;
// The number of timed calls of a thinned node that were long, minus those that were not, at which
// all calls are timed again.
constexpr std::uint8_t long_calls_needed = 8;
// Lengths of the spells in which all calls are timed: each is twice as long as the last.
constexpr std::uint8_t first_spell_log2 = 10, last_spell_log2 = 20;
// Timed calls after which strides double.
constexpr std::uint32_t calls_a_stride = 256;
constexpr std::uint32_t fewest_muted_calls = 2048;
// Occasional mutexes or page faults must not overflow the sum of squares.
constexpr std::uint64_t longest_squared = std::uint64_t{1} << 27;

// A timed call of this length that is also this many times the mean was probably interrupted: the
// thread had to wait for a processor. Or the function is occasionally long.
constexpr std::uint64_t least_interruption = std::uint64_t{1} << 16;
constexpr std::uint64_t interruption_in_means = 64;

// Numbers from xorshift64 (G. Marsaglia, Xorshift RNGs, J. Stat. Software 8 (2003) 14).
std::uint64_t next_random(std::uint64_t& random) {
    std::uint64_t number = random;
    number ^= number << 13;
    number ^= number >> 7;
    number ^= number << 17;
    return random = number;
}

void set_stride(Node& node, std::uint64_t stride) {
    set_shared(node.stride, static_cast<std::uint32_t>(stride));
    add_relaxed(node.thinned_calls, stride);
    set_shared(node.timing, timed_call_due - static_cast<std::int32_t>(stride));
}

void draw_stride(std::uint64_t& random, Node& node) {
    const std::uint64_t mean = std::uint64_t{1} << node.mean_stride_log2;
    set_stride(node, mean == 1 ? 1 : mean / 2 + (next_random(random) >> 32) % mean);
}

void time_every_call(Node& node) {
    set_shared(node.mean_stride_log2, std::uint8_t{0});
    node.spell_log2 = std::clamp(static_cast<std::uint8_t>(node.spell_log2 + 1), first_spell_log2,
                                 last_spell_log2);
    set_shared(node.timing, -(1 << node.spell_log2));
}

// Returns whether the look ends with all calls being timed.
bool end_look(Node& node, bool is_long) {
    node.long_calls = static_cast<std::uint8_t>(node.long_calls + is_long);
    if (++node.looked_at < calls_of_look)
        return false;
    if (node.long_calls > long_calls_allowed) {
        time_every_call(node);
        return true;
    }
    node.long_calls = 0;
    set_shared(node.mean_stride_log2, static_cast<std::uint8_t>(first_stride_log2));
    return false;
}

// The same for a node that is thinned.
bool end_thinning(Node& node, bool is_long) {
    if (is_long && ++node.long_calls >= long_calls_needed) {
        time_every_call(node);
        return true;
    }
    if (!is_long && node.long_calls > 0)
        node.long_calls--;
    if (node.timed_calls % calls_a_stride == 0 && node.mean_stride_log2 < last_stride_log2)
        set_shared(node.mean_stride_log2, static_cast<std::uint8_t>(node.mean_stride_log2 + 1));
    return false;
}

}  // namespace

std::int32_t first_timing(NodeKind kind, bool reviewed) {
    return kind == NodeKind::function && (thinning_settings.active || reviewed) ? look_due - 1
                                                                                : every_call_timed;
}

bool begin_look(Node& node) {
    // Without thinning this is reached only so that reviews are called.
    if (!thinning_settings.active || node.in_fold ||
        (node.flags & (node_precise | node_reads_counters))) {
        time_every_call(node);
        return false;
    }
    node.looked_at = node.long_calls = 0;
    set_shared(node.mean_stride_log2, std::uint8_t{0});
    set_stride(node, 1);
    set_shared(node.timing, timed_call_due);
    return true;
}

// Mean time of the thinned calls so far.
static std::uint64_t usual_ticks(const Node& node) {
    return node.weighted_ticks / std::max<std::uint64_t>(node.thinned_calls, 1);
}

void time_for_ever(Node& node, std::uint32_t open) {
    node.in_fold = 1;
    const std::int32_t timing = plain_read(node.timing);
    if (timing > 0) {
        const std::int32_t end = node.flags & node_unwanted ? muted_calls_end : timed_call_due;
        const std::uint32_t drawn = plain_read(node.stride);
        const std::uint32_t to_come =
            std::min(static_cast<std::uint32_t>(std::max(end - timing, 0)), drawn);
        // Calls that will not be represented by a timed call are assumed to be like those that were
        // timed.
        const std::uint32_t timed = std::min(open, drawn - to_come);
        add_relaxed(node.weighted_ticks, (drawn - to_come - timed) * usual_ticks(node));
        add_relaxed(node.thinned_calls, -std::uint64_t{to_come + timed});
        time_every_call(node);
    }
}

std::uint64_t note_thinned_call(std::uint64_t& random, Node& node, std::uint64_t ticks) {
    // Another activation of the path, in a fiber, has ended before this one; or the path is mute.
    const std::int32_t timing = plain_read(node.timing);
    if (timing < timed_call_due || (node.flags & node_unwanted))
        return 1;
    // Calls that were made while this one was open.
    const auto others = static_cast<std::uint64_t>(timing - timed_call_due);
    add_relaxed(node.thinned_calls, others);
    const std::uint64_t stride = node.stride + others;
    // An interrupted call does not represent others, or a single one would outweigh all calls that
    // were measured. In case it was not an interruption, all calls are timed for a spell.
    const bool interrupted = stride > 1 && ticks > least_interruption &&
                             ticks > interruption_in_means * usual_ticks(node);
    const std::uint64_t usual = interrupted ? usual_ticks(node) : ticks;
    add_relaxed(node.weighted_ticks, stride * usual + (ticks - usual));
    add_relaxed(node.weight_squares, stride * stride);
    const std::uint64_t bounded = std::min(usual, longest_squared);
    add_relaxed(node.ticks_squares, bounded * bounded);
    set_shared(node.timed_calls, node.timed_calls + 1);
    if (interrupted) {
        time_every_call(node);
        return 1;
    }
    const bool over = node.mean_stride_log2 == 0
                          ? end_look(node, ticks >= thinning_settings.short_call)
                          : end_thinning(node, ticks >= 2 * thinning_settings.short_call);
    if (!over)
        draw_stride(random, node);
    return stride;
}

void mute(std::uint64_t& random, Node& node) {
    const auto calls = static_cast<std::uint32_t>(
        fewest_muted_calls + (next_random(random) >> 32) % (2 * fewest_muted_calls));
    const std::int32_t timing = plain_read(node.timing);
    // The calls that are not represented by a timed call: those of the stride that ends here, or of
    // the previous mute period.
    const std::uint32_t untimed = timing >= timed_call_due ? node.stride : 0;
    constexpr std::uint32_t most = ~std::uint32_t{0};
    set_shared(node.stride, untimed > most - calls ? most : untimed + calls);
    set_flag(node, node_unwanted);
    add_relaxed(node.thinned_calls, calls);
    set_shared(node.timing, muted_calls_end - static_cast<std::int32_t>(calls));
}

}  // namespace vftrace
