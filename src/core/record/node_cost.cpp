#include "record/node_cost.hpp"

#include <algorithm>
#include <cmath>

#include "base/relaxed.hpp"
#include "record/node.hpp"
#include "record/thinned_time.hpp"

namespace vftrace {
namespace {

template <class Value>
double number(const Value& value) {
    return static_cast<double>(relaxed(value));
}

// The cost inside the time of calls that took `ticks` on average, as measured. Calls that take
// almost no time do not hide any of it; with increasing length they soon hide the whole overlap.
double inside_of_call(const CallCost& cost, double ticks) {
    const double left = std::max(ticks - cost.inside, 0.0);
    constexpr double soon = 0.3;
    return cost.inside -
           (cost.overlap > 0 ? cost.overlap * (1 - std::exp(-left / (soon * cost.overlap))) : 0.0);
}

// Costs of the calls of a function, which may have prologue hooks.
HookCosts costs_of_calls(const Node& node, HookCosts costs) {
    if (__atomic_load_n(&called_path(node).flags, __ATOMIC_RELAXED) & node_prologue) {
        // Folded calls are handled out of line, like thinned ones.
        costs.fold.all += costs.prologue_thinned.all;
        costs.fold.inside += costs.prologue_thinned.inside;
        costs.timed.all += costs.prologue.all;
        costs.timed.inside += costs.prologue.inside;
        costs.thinned.all += costs.prologue_thinned.all;
        costs.thinned.inside += costs.prologue_thinned.inside;
        costs.nested += costs.prologue.all;
        costs.untimed += costs.prologue.all;
        costs.table_entry += costs.prologue_table_entry;
    }
    return costs;
}

NodeCost cost_of_folded(const Node& node, const HookCosts& costs) {
    const double calls = number(node.calls);
    if (!(calls > 0))
        return {};
    return {calls * costs.fold.all + costs.new_path +
                std::min(number(node.table_entries), calls) * costs.table_entry,
            calls * inside_of_call(costs.fold, number(node.inclusive_ticks) / calls)};
}

NodeCost cost_of_function(const Node& node, const HookCosts& costs) {
    const CallsByTiming calls = calls_by_timing(node);
    const auto every = static_cast<double>(calls.every);
    const auto thinned = static_cast<double>(calls.thinned);
    const auto timed = static_cast<double>(calls.timed);
    NodeCost cost;
    cost.all = every * costs.timed.all + timed * costs.thinned.all +
               (thinned - timed) * costs.untimed +
               std::min(number(node.nested_calls), number(node.calls)) * costs.nested +
               std::min(number(node.table_entries), number(node.calls)) * costs.table_entry;
    if (number(node.calls) > 0)
        cost.all += costs.new_path;
    if (every > 0)
        cost.inside += every * inside_of_call(costs.timed, number(node.inclusive_ticks) / every);
    if (timed > 0) {
        const double inside = inside_of_call(costs.thinned, thinned_time(node).ticks / thinned);
        cost.inside += timed * inside;
        cost.surplus = (thinned - timed) * inside;
    }
    return cost;
}

}  // namespace

NodeCost cost_of(const Node& node, const HookCosts& costs) {
    const double calls = number(node.calls);
    switch (row_of(kind_of_calls(node)).cost) {
    case KindCost::none:
        break;
    case KindCost::function:
        if (node.kind == NodeKind::alias)
            return cost_of_folded(node, costs_of_calls(node, costs));
        return __atomic_load_n(&node.flags, __ATOMIC_RELAXED) & node_sampled
                   ? NodeCost{}
                   : cost_of_function(node, costs_of_calls(node, costs));
    case KindCost::hook:
        return {calls * costs.timed.all, calls * costs.timed.inside};
    case KindCost::region:
        return {calls * costs.region.all, calls * costs.region.inside};
    case KindCost::wrapper:
        return {calls * costs.mpi.all, calls * costs.mpi.inside};
    }
    return {};
}

double cost_of_next_call(const Node& node, const HookCosts& all_costs) {
    const HookCosts costs = costs_of_calls(node, all_costs);
    const double calls = std::max(number(node.calls), 1.0);
    const double search = std::min(number(node.table_entries) / calls, 1.0) * costs.table_entry;
    if (node.kind == NodeKind::alias)
        return search + costs.fold.all;
    if (__atomic_load_n(&node.timing, __ATOMIC_RELAXED) < 0)
        return search + costs.timed.all;
    const double stride = static_cast<double>(
        1u << std::min<unsigned>(__atomic_load_n(&node.mean_stride_log2, __ATOMIC_RELAXED), 31));
    return search + costs.untimed + (costs.thinned.all - costs.untimed) / stride;
}

}  // namespace vftrace
