#include "collate/tree_times.hpp"

#include <algorithm>
#include <utility>

#include "base/assertion.hpp"
#include "base/relaxed.hpp"
#include "collate/combined_times.hpp"
#include "collate/sampled_times.hpp"
#include "collate/task_times.hpp"
#include "record/open_calls.hpp"
#include "record/thinned_time.hpp"

namespace vftrace {
namespace {

// The time of the calls that were not timed one by one.
void add_estimate(NodeTimes& times) {
    const ThinnedTime estimate = thinned_time(*times.node);
    if (!(estimate.ticks > 0))
        return;
    const CallsByTiming calls = calls_by_timing(*times.node);
    times.thinned = calls.timed < calls.thinned;
    add_saturating(times.active,
                   static_cast<std::int64_t>(std::clamp(estimate.ticks - times.cost.surplus, 0.0,
                                                        static_cast<double>(most_ticks))));
    times.active_variance = estimate.standard_error * estimate.standard_error;
}

// A call of `target` in `caller`, which is below it, was folded: its time belongs to `target`,
// where it is already included, and not to any path between them.
void fold(std::vector<NodeTimes>& times, std::uint32_t caller, std::uint32_t target,
          std::int64_t ticks) {
    // Deep recursion counts the same time at each level: sums may overflow, but their differences
    // do not.
    for (; caller > target; caller = times[caller].parent)
        times[caller].active = static_cast<std::int64_t>(
            static_cast<std::uint64_t>(times[caller].active) - static_cast<std::uint64_t>(ticks));
}

// For an alias: its calls belong to its target, and so does the cost that is part of their time.
void fold_calls(std::vector<NodeTimes>& times, std::uint32_t alias, std::uint64_t ticks) {
    const Node* target = times[alias].node->last_callee;
    if (!target || target->number >= alias)
        return;
    fold(times, times[alias].parent, target->number, static_cast<std::int64_t>(ticks));
    NodeCost& own = times[alias].cost;
    NodeCost& cost = times[target->number].cost;
    own.all -= own.inside;
    cost.all += own.inside;
    cost.inside += std::exchange(own.inside, 0.0);
}

// A program that only waits, and asks MPI again and again whether it still has to, asks less often
// because of the cost of its calls, but does not wait longer: that cost is not overhead, and
// neither is that of the functions around these calls.
void forgive_waiting(std::vector<NodeTimes>& times) {
    std::vector<double> polls(times.size(), 0.0);  // at the node and below it
    for (std::size_t i = times.size(); i-- > 1;) {
        const Node& node = *times[i].node;
        const auto calls = static_cast<double>(relaxed(node.calls));
        if (node.kind == NodeKind::mpi)
            polls[i] += std::min(static_cast<double>(relaxed(node.weight_squares)), calls);
        polls[times[i].parent] += polls[i];
        if (!(polls[i] > 0) || !(calls > 0))
            continue;
        const double counts = 1 - std::min(polls[i] / calls, 1.0);
        times[i].harmless_cost = times[i].cost.all * (1 - counts);
        for (double NodeCost::*part : {&NodeCost::all, &NodeCost::inside, &NodeCost::surplus})
            times[i].cost.*part *= counts;
    }
}

std::vector<NodeTimes> closed_calls(const NodePaths::Thread& thread, const HookCosts& costs) {
    std::vector<NodeTimes> times(thread.path_of.size());
    const Node* node = thread.record->root;
    for (std::uint32_t i = 0; i < times.size(); i++) {
        VFTRACE_ASSERT(node && node->number == i);
        times[i].node = node;
        times[i].cost = cost_of(*node, costs);
        times[i].parent = node->parent && node->parent->number < i ? node->parent->number : 0;
        const std::uint64_t ticks = relaxed(node->inclusive_ticks);
        if (node->kind == NodeKind::alias)
            fold_calls(times, i, ticks);
        else
            times[i].active = static_cast<std::int64_t>(ticks);
        node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE);
    }
    forgive_waiting(times);
    return times;
}

void add_estimates(std::vector<NodeTimes>& times) {
    for (NodeTimes& own : times) {
        own.active = std::clamp(own.active, -most_ticks, most_ticks);
        add_estimate(own);
    }
}

void add_open_call(const Frame& frame, const Node& node, const Node* below, const OpenCalls& open,
                   std::vector<NodeTimes>& times) {
    if (node.number >= times.size() || times[node.number].node != &node)
        return;  // created meanwhile
    NodeTimes& own = times[node.number];
    const std::uint64_t start = relaxed(frame.start), slow_start = relaxed(frame.slow_start);
    switch (start) {
    case frame_paused:
        add_saturating(own.active, open.pause_since(slow_start));
        break;
    case frame_nested:  // one activation for the tree
    case frame_untimed:
        break;
    case frame_timed:
    case frame_thinned:
        add_saturating(own.active, open.time_since(slow_start));
        break;
    case frame_fold:
        if (below && below->number < times.size())
            fold(times, below->number, node.number, open.time_since(slow_start));
        break;
    default:
        add_saturating(own.active, open.time_since(start));
    }
}

void set_exclusive_times(std::vector<NodeTimes>& times) {
    for (NodeTimes& own : times)
        own.exclusive = 0;
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        VFTRACE_ASSERT(own.parent < i);  // so that its callees have been added before it
        if (is_bookkeeping(*own.node))
            continue;
        add_saturating(own.exclusive, own.active);
        own.inclusive = own.active;
        if (!own.is_paused())
            add_saturating(times[own.parent].exclusive, -own.active);
    }
    times[0].exclusive = 0;  // the time of `init` is not shown
}

// The work of a graft itself, without that of grafts inside it.
struct Graft {
    std::uint32_t node;
    std::int64_t own;
};

std::vector<Graft> grafts_of(const std::vector<NodeTimes>& times) {
    std::vector<Graft> grafts;
    for (std::uint32_t i = 1; i < times.size(); i++)
        if (times[i].node->kind == NodeKind::graft)
            grafts.push_back({i, times[i].active});
    if (grafts.empty())
        return grafts;
    std::vector<std::uint32_t> innermost(times.size(), no_index);  // by node: the graft around it
    for (std::uint32_t i = 1, next = 0; i < times.size(); i++) {
        const std::uint32_t around = innermost[times[i].parent];
        innermost[i] = around;
        if (next == grafts.size() || grafts[next].node != i)
            continue;
        innermost[i] = next++;
        if (around != no_index)
            add_saturating(grafts[around].own, -times[i].active);
    }
    return grafts;
}

// Subtracts the time of grafts from the inclusive times around them: it counts only for those nodes
// below whose path it is also shown, and once per path. The time of asynchronous tasks is added
// later to all paths that it is shown below (collate/task_times.hpp).
void take_out_grafts(const NodePaths::Thread& thread, const Profile& profile,
                     std::vector<NodeTimes>& times) {
    const std::vector<Graft> grafts = grafts_of(times);
    if (grafts.empty())
        return;
    const std::vector<Path>& paths = profile.paths;
    const std::vector<bool> in_task = paths_in_tasks(profile);
    std::vector<std::uint32_t> shown_below(paths.size(), no_index);  // by path: the latest graft
    for (std::uint32_t i = 0; i < grafts.size(); i++) {
        const std::uint32_t node = grafts[i].node;
        if (!in_task[thread.path_of[node]])
            for (std::uint32_t path = paths[thread.path_of[node]].parent; path != no_index;
                 path = paths[path].parent)
                shown_below[path] = i;
        for (std::uint32_t around = times[node].parent; around != 0;
             around = times[around].parent) {
            if (thread.is_clone(around))
                continue;
            std::uint32_t& graft = shown_below[thread.path_of[around]];
            if (graft == i)
                graft = no_index;
            else
                add_saturating(times[around].inclusive, -grafts[i].own);
        }
    }
}

bool has_time_of_its_own(const NodeTimes& times) {
    return !times.is_paused() && !is_bookkeeping(*times.node);
}

// Whether a signal handler may have run before the clock was read in the hook of the only call that
// took any time: such handlers are callees of the node, which has no time itself, permanently if
// they jump out of it.
bool has_lost_its_time(const NodeTimes& times) {
    return times.active == 0 && times.node->kind == NodeKind::function &&
           relaxed(times.node->calls) > 0;
}

// A long call may have been among those that were not timed: its callees show that.
void raise_estimates(std::vector<NodeTimes>& times) {
    std::vector<std::int64_t> callees(times.size(), 0);
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (own.thinned || has_lost_its_time(own))
            own.active = std::max(own.active, callees[i]);
        if (has_time_of_its_own(own))
            add_saturating(callees[own.parent], own.active);
    }
}

// Subtracts from each node's time what measuring has cost there and below, but leaves at least the
// time of its callees, because hooks cost less than in our loops if the processor waits for
// something else meanwhile.
void take_out_cost(std::vector<NodeTimes>& times) {
    std::vector<double> cost_below(times.size(), 0.0);
    std::vector<std::int64_t> callees(times.size(), 0);
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (own.node->kind == NodeKind::alias)
            cost_below[own.parent] += own.cost.all;
        if (!has_time_of_its_own(own))
            continue;
        const auto raw = static_cast<double>(own.active);
        const double left = raw - own.cost.inside - cost_below[i];
        const double least = std::min(static_cast<double>(callees[i]), raw);
        own.active = static_cast<std::int64_t>(std::max({left, least, std::min(raw, 0.0)}));
        cost_below[own.parent] +=
            own.cost.all - own.cost.inside + raw - static_cast<double>(own.active);
        add_saturating(callees[own.parent], own.active);
    }
}

// Whether callers may be suspended while their callees continue, in fibers.
bool has_fibers(const ThreadRecord& record) {
    int stacks = 0;
    for (const StackSegment* segment = __atomic_load_n(&record.segments, __ATOMIC_ACQUIRE); segment;
         segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
        stacks += !segment->of_signals;
    return stacks > 1;
}

// If callees, being estimates, have more time than their caller, everything below is reduced in
// proportion.
void fit_into_callers(std::vector<NodeTimes>& times) {
    std::vector<double> callees(times.size(), 0.0), scale(times.size(), 1.0);
    for (std::size_t i = 1; i < times.size(); i++)
        if (has_time_of_its_own(times[i]))
            callees[times[i].parent] += static_cast<double>(times[i].active);
    for (std::size_t i = 1; i < times.size(); i++) {
        NodeTimes& own = times[i];
        const double limit = own.parent == 0 ? static_cast<double>(own.raw_active) : 0.0;
        scale[i] = scale[own.parent];
        if (limit > 0 && static_cast<double>(own.active) > limit)
            scale[i] = limit / static_cast<double>(own.active);
        if (!has_time_of_its_own(own))
            continue;
        own.active = static_cast<std::int64_t>(static_cast<double>(own.active) * scale[i]);
        const auto room = static_cast<double>(own.active);
        if (own.active > 0 && callees[i] * scale[i] > room)
            scale[i] = room / callees[i];
    }
}

void set_variances(std::vector<NodeTimes>& times) {
    for (std::size_t i = times.size(); i-- > 1;) {
        times[i].exclusive_variance += times[i].active_variance;
        times[times[i].parent].exclusive_variance += times[i].active_variance;
    }
}

// A node that is shown below a node other than its parent counts there too: that other node is a
// callee of the parent.
void include_moved_callees(const NodePaths::Thread& thread, std::vector<NodeTimes>& times) {
    for (auto moved = thread.called_in.rbegin(); moved != thread.called_in.rend(); ++moved)
        if (moved->first < times.size())
            add_saturating(times[moved->second].inclusive, times[moved->first].inclusive);
}

}  // namespace

ThreadTimes times_of_tree(const NodePaths::Thread& thread, const Profile& profile,
                          const ProcessRecord& process, std::uint64_t end_ticks,
                          const HookCosts& costs, bool corrected) {
    ThreadTimes result{closed_calls(thread, costs)};
    std::vector<NodeTimes>& times = result.nodes;
    if (times.empty())
        return result;
    const OpenCalls open = open_calls(*thread.record, process, end_ticks);
    for (const StackSegment* segment = __atomic_load_n(&thread.record->segments, __ATOMIC_ACQUIRE);
         segment; segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
        visit_open_calls(
            *segment, open,
            [&](const Frame& frame, const Node& node, const Node* below, const OpenCalls& calls) {
                add_open_call(frame, node, below, calls, times);
            });
    add_estimates(times);
    raise_estimates(times);
    for (NodeTimes& own : times)
        own.raw_active = own.active;
    const bool fits = !has_fibers(*thread.record);
    if (fits)
        fit_into_callers(times);
    add_sampled_times(times);
    set_exclusive_times(times);
    include_moved_callees(thread, times);
    take_out_grafts(thread, profile, times);
    for (NodeTimes& own : times) {
        own.raw_exclusive = own.exclusive;
        own.raw_inclusive = own.inclusive;
    }
    set_variances(times);
    add_sampled_variances(times);
    for (const NodeTimes& own : times)
        result.overhead += own.cost.all;
    if (corrected) {
        take_out_cost(times);
        if (fits)
            fit_into_callers(times);
        add_sampled_times(times);
        set_exclusive_times(times);
        if (fits && process.sampled_beside_hooks && thread.record->samples >= fewest_samples) {
            const MeasuringCost cost = combine_with_samples(times, thread, costs);
            result.overhead = cost.ticks;
            result.overhead_error = cost.error;
            set_exclusive_times(times);
        } else {
            if (fits) {
                const MeasuringCost cost = balance_with_cost(times, thread, costs);
                result.overhead = cost.ticks;
                result.overhead_error = cost.error;
                set_exclusive_times(times);
            }
            include_moved_callees(thread, times);
            if (removed_functions_are_sampled(process))  // as in other threads' overhead
                result.overhead += static_cast<double>(
                    __atomic_load_n(&thread.record->review_ticks, __ATOMIC_RELAXED));
        }
        take_out_grafts(thread, profile, times);
    }
    return result;
}

}  // namespace vftrace
