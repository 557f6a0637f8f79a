// The times of one thread's tree, with the calls that are open.
#pragma once

#include <cstdint>
#include <vector>

#include "collate/node_paths.hpp"
#include "collate/saturating.hpp"
#include "overhead/node_cost.hpp"
#include "tree/process_record.hpp"

namespace vftrace {

// Ticks. Signed, since a thread that goes on while it is read may seem to spend more time in
// callees than in their caller.
struct NodeTimes {
    const Node* node = nullptr;
    std::uint32_t parent = 0;       // Node::number
    std::int64_t active = 0;        // outermost activations
    std::int64_t nested = 0;        // further activations inside those (folded recursion)
    std::int64_t folded_calls = 0;  // calls that were folded into a path further up
    // Of all activations, what was spent in the node itself and not in what was called there, on
    // whomever's behalf.
    std::int64_t exclusive = 0;
    // Of the outermost activations, what is shown at the node or below it. A graft's callees are
    // shown below its target, but not below what is around the graft.
    std::int64_t inclusive = 0;
    // The cost of measuring included.
    std::int64_t raw_active = 0, raw_exclusive = 0, raw_inclusive = 0;
    NodeCost cost{};  // of its calls; how much of that is in the raw times of the node itself
    bool thinned = false;
    // Variances of `active` and `exclusive`, as far as they are estimates.
    double active_variance = 0, exclusive_variance = 0;

    std::int64_t all_activations() const {
        std::int64_t sum = active;
        add_saturating(sum, nested);
        return sum;
    }
    // Time that stood still: no part of the time around it.
    bool is_paused() const { return node->kind == NodeKind::pause; }
};

// By Node::number: the nodes that have paths. `profile` has those already. Open calls end at
// `end_ticks`, or where the thread stood still before. `corrected`: the times but for the raw ones
// are without what measuring has cost.
std::vector<NodeTimes> times_of_tree(const NodePaths::Thread& thread, const Profile& profile,
                                     const ProcessRecord& process, std::uint64_t end_ticks,
                                     const HookCosts& costs, bool corrected);

}  // namespace vftrace
