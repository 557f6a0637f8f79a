// The times of one thread's tree, including open calls.
#pragma once

#include <cstdint>
#include <vector>

#include "base/saturating.hpp"
#include "collate/node_paths.hpp"
#include "record/node_cost.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Ticks. Signed, because a thread that continues while it is read may seem to spend more time in
// callees than in their caller.
struct NodeTimes {
    const Node* node = nullptr;
    std::uint32_t parent = 0;  // Node::number
    // Time of activations, minus the calls in them that were folded into a path further up
    // (tree/folding.hpp).
    std::int64_t active = 0;
    // The part of all activations that was spent in the node itself and not in what was called
    // there, on behalf of any path.
    std::int64_t exclusive = 0;
    // What is shown at the node or below it. A graft's callees are shown below its target, but not
    // below what is around the graft.
    std::int64_t inclusive = 0;
    // Including the cost of measuring.
    std::int64_t raw_active = 0, raw_exclusive = 0, raw_inclusive = 0;
    NodeCost cost{};  // of its calls, and how much of that is in the raw times of the node itself
    double harmless_cost = 0;  // of calls that only took the place of waiting
    bool thinned = false;
    bool combined = false;  // by the clock and samples: the variances are complete
    // Variances of `active` and `exclusive`, as far as they are estimates.
    double active_variance = 0, exclusive_variance = 0;

    // Suspended time, which is not part of the enclosing time.
    bool is_paused() const { return node->kind == NodeKind::pause; }
};

struct ThreadTimes {
    std::vector<NodeTimes> nodes;  // by Node::number
    double overhead = 0;           // what measuring cost the thread, ticks
    double overhead_error = 0;     // standard error, ticks
};

// Times of the nodes that have paths, which `profile` already has. Open calls end at `end_ticks`,
// or earlier if the thread stopped before. `corrected`: all times except the raw ones are without
// the cost of measuring.
ThreadTimes times_of_tree(const NodePaths::Thread& thread, const Profile& profile,
                          const ProcessRecord& process, std::uint64_t end_ticks,
                          const HookCosts& costs, bool corrected);

}  // namespace vftrace
