// What the calls of one path have cost the program.
#pragma once

#include "tree/hook_costs.hpp"
#include "tree/node.hpp"

namespace vftrace {

// In the unit of the costs: CallCost::all of all calls together, and the part that lies in the
// path's own raw time (of thinned paths: in its estimate).
CallCost cost_of(const Node& node, const HookCosts& costs);

// What the next call costs, on average, as the node is timed now.
double cost_of_next_call(const Node& node, const HookCosts& costs);

}  // namespace vftrace
