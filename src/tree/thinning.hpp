// Timing a fraction of the calls of nodes whose calls are short.
//
// The clock is most of what a call costs. A node begins with every call timed; once its calls prove
// to be short, one in `stride` is, and the others only count. A stride is drawn anew for each timed
// call, evenly from 1/2 to 3/2 of its mean, so that it cannot lock on to a period of the program;
// it is drawn before the call that it belongs to is known, so that
//
//     thinned calls * sum(stride * time) / sum(stride)
//
// estimates their time without bias (tree/thinned_time.hpp).
#pragma once

#include <cstdint>

#include "tree/thread_state.hpp"

namespace vftrace {

// Strides are 2^first_stride_log2 on average at first and grow as the estimate gets better.
inline constexpr unsigned first_stride_log2 = 4, last_stride_log2 = 8;

// A call of `node`, which had every call timed, has ended at `now` and took less than
// ThreadState::short_call.
void note_short_call(ThreadState& state, Node& node, std::uint64_t now);

// The timed call of a thinned node has ended and took `ticks`: draws the next stride, or ends the
// thinning where calls have become long.
void note_thinned_call(ThreadState& state, Node& node, std::uint64_t ticks);

// Calls the review if it is time for one.
void review_if_due(ThreadState& state, std::uint64_t now);

// From now on the node's calls only count: its function is unwanted, but its hooks stay.
void mute(Node& node);

}  // namespace vftrace
