// The cost that the calls of one path cause to the program.
#pragma once

#include "record/hook_costs.hpp"
#include "record/node.hpp"

namespace vftrace {

// Ticks, of all calls together.
struct NodeCost {
    double all = 0;
    // The part of that which lies in the time of the path's own calls, minus what is missing from
    // that time (CallCost::overlap). May be negative.
    double inside = 0;
    // The amount by which the estimate of thinned_time() exceeds the actual time of the calls:
    // those that were not timed did not have the cost of reading the clock inside.
    double surplus = 0;
};
NodeCost cost_of(const Node& node, const HookCosts& costs);

// Ticks that the next call costs, on average, with the node's current timing.
double cost_of_next_call(const Node& node, const HookCosts& costs);

}  // namespace vftrace
