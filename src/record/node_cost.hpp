// The cost of the calls of one path to the program.
#pragma once

#include "record/hook_costs.hpp"
#include "record/node.hpp"

namespace vftrace {

// Ticks, of all calls together.
struct NodeCost {
    double all = 0;
    // Of that, what lies in the time of the path's own calls, minus what that time lacks. May be
    // negative.
    double inside = 0;
    // By how much the estimate of thinned_time() is larger than the time of the calls was: those
    // that were not timed had no clock inside.
    double surplus = 0;
};
NodeCost cost_of(const Node& node, const HookCosts& costs);

// Ticks of the next call, on average, as the node is timed now.
double cost_of_next_call(const Node& node, const HookCosts& costs);

}  // namespace vftrace
