// Timing a fraction of the calls of nodes whose calls are short.
//
// The clock is most of the cost of a call. The first calls of a node are examined: all of them are
// timed, out of line. If most are long, all calls of a period are timed on the hot path, and then
// some are examined again, after increasingly long periods. If they are short, one in `stride` is
// timed, and the others are only counted. A new stride is drawn for each timed call, uniformly from
// 1/2 to 3/2 of its mean, so that it cannot synchronise with a period of the program; it is drawn
// before its call is known, so that
//
//     thinned calls * sum(stride * time) / sum(stride)
//
// estimates their time without bias (record/thinned_time.hpp).
//
// Built, like the hooks, without using vector registers, which may hold values of the program.
#pragma once

#include <cstdint>

#include "base/relaxed.hpp"
#include "record/node.hpp"

namespace vftrace {

// The mean stride is 2^first_stride_log2 at first and grows as the estimate improves.
inline constexpr unsigned first_stride_log2 = 4, last_stride_log2 = 8;

// What lifecycle/ decides before the first event.
struct ThinningSettings {
    bool active = false;           // only some of the short calls are timed
    std::uint64_t short_call = 0;  // ticks; shorter calls are thinned. 0: none are
};
extern ThinningSettings thinning_settings;

// Node::timing of a new node. `reviewed`: there are reviews, which must be called from time to
// time.
std::int32_t first_timing(NodeKind kind, bool reviewed);

// The node has reached look_due: a look begins with this call, or another spell of timed calls
// begins. Returns whether it is a look.
bool begin_look(Node& node);

// Whether the hot path times this call of a callee to which it may go. Counts the call.
[[gnu::always_inline]] inline bool is_timed(Node* node) {
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    bool timed;
    asm("addl $1, %0" : "+m"(node->timing), "=@ccs"(timed));
    return timed;
#else
    set_shared(node->timing, plain_read(node->timing) + 1);
    return plain_read(node->timing) < 0;
#endif
}

[[gnu::always_inline]] inline bool is_due(const Node* node) {
    return (plain_read(node->timing) & timing_mask) == 0;
}

// From now on every call of the node is timed, including the `open` calls that are open and were
// not timed; their time is measured after all.
void time_for_ever(Node& node, std::uint32_t open);

// The timed call of a thinned node has ended and took `ticks`: draws the next stride, or ends the
// thinning if calls are long. `random` is the thread's state of xorshift64. Returns how many calls
// this one represents.
std::uint64_t note_thinned_call(std::uint64_t& random, Node& node, std::uint64_t ticks);

// The node's next calls are only counted: its function is unwanted, but the hook of this call could
// not be removed. Removal is tried again some thousand calls later, because later calls may come
// from other hooks.
void mute(std::uint64_t& random, Node& node);

}  // namespace vftrace
