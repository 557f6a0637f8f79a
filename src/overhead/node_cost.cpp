// What the calls of one path have cost the program.
#include "overhead/node_cost.hpp"

#include <algorithm>

#include "tree/thinned_time.hpp"

namespace vftrace {
namespace {

template <class Value>
double relaxed(const Value& value) {
    return static_cast<double>(__atomic_load_n(&value, __ATOMIC_RELAXED));
}

CallCost cost_of_function(const Node& node, const HookCosts& costs) {
    const CallsByTiming calls = calls_by_timing(node);
    const auto every = static_cast<double>(calls.every);
    const auto thinned = static_cast<double>(calls.thinned);
    const auto timed = static_cast<double>(calls.timed);
    double all = every * costs.timed.all + timed * costs.thinned.all +
                 (thinned - timed) * costs.untimed +
                 std::min(relaxed(node.nested_calls), relaxed(node.calls)) * costs.nested +
                 std::min(relaxed(node.table_entries), relaxed(node.calls)) * costs.table_entry;
    if (node.calls > 0)
        all += costs.new_path;
    return {all, every * costs.timed.inside + thinned * costs.thinned.inside};
}

}  // namespace

CallCost cost_of(const Node& node, const HookCosts& costs) {
    const double calls = relaxed(node.calls);
    switch (node.kind) {
    case NodeKind::function:
        return node.flags & node_sampled ? CallCost{} : cost_of_function(node, costs);
    case NodeKind::mpi:
        return {calls * costs.mpi.all, calls * costs.mpi.inside};
    case NodeKind::region:
        return {calls * costs.region.all, calls * costs.region.inside};
    case NodeKind::openmp:  // like a hook whose callee is known
        return {calls * costs.timed.all, calls * costs.timed.inside};
    case NodeKind::root:
    case NodeKind::pause:
    case NodeKind::thread:
    case NodeKind::graft:
    case NodeKind::alias:
    case NodeKind::nested_time:
        break;
    }
    return {};
}

double cost_of_next_call(const Node& node, const HookCosts& costs) {
    if (__atomic_load_n(&node.untimed_left, __ATOMIC_RELAXED) == every_call_timed)
        return costs.timed.all;
    const double stride = static_cast<double>(1u << std::min<unsigned>(node.mean_stride_log2, 31));
    return costs.untimed + (costs.thinned.all - costs.untimed) / stride;
}

}  // namespace vftrace
