// The times of one thread's tree, with the calls that are open.
#include "collate/tree_times.hpp"

#include <algorithm>

#include "collate/sampled_times.hpp"
#include "tree/thinned_time.hpp"

namespace vftrace {
namespace {

std::uint64_t relaxed(const std::uint64_t& counter) {
    return __atomic_load_n(&counter, __ATOMIC_RELAXED);
}

constexpr std::uint64_t most_ticks = std::uint64_t{1} << 61;

// What a count of ticks says, as far as that makes sense: a damaged one shall do no harm.
std::int64_t plausible(std::uint64_t ticks) {
    return static_cast<std::int64_t>(std::min(ticks, most_ticks));
}

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

std::vector<NodeTimes> closed_calls(const NodePaths::Thread& thread, const HookCosts& costs) {
    std::vector<NodeTimes> times(thread.path_of.size());
    const Node* node = thread.record->root;
    for (std::uint32_t i = 0; i < times.size(); i++) {
        times[i].node = node;
        times[i].cost = cost_of(*node, costs);
        times[i].parent = node->parent && node->parent->number < i ? node->parent->number : 0;
        const std::int64_t ticks = plausible(relaxed(node->inclusive_ticks));
        if (node->kind == NodeKind::alias)
            add_saturating(times[times[i].parent].folded_calls, ticks);
        else if (node->kind == NodeKind::nested_time)
            add_saturating(times[times[i].parent].nested, ticks);
        else
            times[i].active = ticks;
        add_estimate(times[i]);
        node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE);
    }
    return times;
}

// How long the open calls of a stack last.
struct OpenCalls {
    std::uint64_t end;
    std::uint64_t moved;  // pauses since they began that the thread has not noticed yet
    // The pause that the thread itself began; it ends here, or has lasted for `moved` if this is 0.
    std::uint64_t pause_end;

    std::int64_t time_since(std::uint64_t start) const {
        if (start <= frame_last_kind || start >= end || moved >= end - start)
            return 0;
        return plausible(end - start - moved);
    }
    std::int64_t pause_since(std::uint64_t start) const {
        if (pause_end == 0)
            return plausible(moved);
        return start < pause_end ? plausible(pause_end - start) : 0;
    }
};

OpenCalls open_calls(const ThreadRecord& record, const ProcessRecord& process,
                     std::uint64_t end_ticks) {
    OpenCalls open{end_ticks, 0, end_ticks};
    const std::uint64_t paused = __atomic_load_n(&process.paused_ticks, __ATOMIC_ACQUIRE);
    const std::uint64_t noticed = relaxed(record.paused_ticks);
    if (paused > noticed)
        open.moved = paused - noticed;
    if (const std::uint64_t pause = relaxed(process.pause_started))
        open.end = std::min(open.end, pause);
    else if (open.moved > 0)
        open.pause_end = 0;
    if (const std::uint64_t end = end_of_open(record, open.end); end < open.end)
        open = {end, 0, end_ticks};  // later pauses are none of their business
    return open;
}

void add_open_call(const Frame& frame, const Node& node, const Node* below, const OpenCalls& open,
                   std::vector<NodeTimes>& times) {
    if (node.number >= times.size() || times[node.number].node != &node)
        return;  // made meanwhile
    NodeTimes& own = times[node.number];
    const std::uint64_t start = relaxed(frame.start), slow_start = relaxed(frame.slow_start);
    switch (start) {
    case frame_paused:
        add_saturating(own.active, open.pause_since(slow_start));
        break;
    case frame_untimed:
        break;
    case frame_timed:
    case frame_thinned:
        add_saturating(own.active, open.time_since(slow_start));
        break;
    case frame_nested:
        if (below && below != &node)  // else direct recursion: one activation to the tree
            add_saturating(own.nested, open.time_since(slow_start));
        break;
    case frame_fold:
        add_saturating(own.nested, open.time_since(slow_start));
        if (below && below->number < times.size())
            add_saturating(times[below->number].folded_calls, open.time_since(slow_start));
        break;
    default:
        add_saturating(own.active, open.time_since(start));
    }
}

void add_open_calls(const StackSegment& segment, OpenCalls open, std::vector<NodeTimes>& times) {
    if (const std::uint64_t suspended = relaxed(segment.suspended_at))
        open = {std::min(open.end, suspended), 0, open.pause_end};
    const Node* below = __atomic_load_n(&segment.frames[0].node, __ATOMIC_ACQUIRE);
    // The frame above the last open one has no stack address.
    for (std::size_t i = 1; i <= segment.capacity; i++) {
        const Frame& frame = segment.frames[i];
        const bool is_open = __atomic_load_n(&frame.stack, __ATOMIC_ACQUIRE) != 0;
        const Node* const node = __atomic_load_n(&frame.node, __ATOMIC_RELAXED);
        if (!is_open || !node)
            break;
        add_open_call(frame, *node, below, open, times);
        below = node;
    }
}

void set_exclusive_times(std::vector<NodeTimes>& times) {
    for (NodeTimes& own : times)
        own.exclusive = 0;
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (is_bookkeeping(*own.node))
            continue;
        add_saturating(own.exclusive, own.all_activations());
        add_saturating(own.exclusive, -own.folded_calls);
        own.inclusive = own.active;
        if (!own.is_paused())
            add_saturating(times[own.parent].exclusive, -own.all_activations());
    }
    times[0].exclusive = 0;  // the time of `init` is not shown
}

// What a graft does itself, without what grafts inside it do.
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

// Takes what grafts do out of the inclusive times around them: it counts only for those nodes below
// whose path it is shown as well, and once a path.
void take_out_grafts(const NodePaths::Thread& thread, const std::vector<Path>& paths,
                     std::vector<NodeTimes>& times) {
    const std::vector<Graft> grafts = grafts_of(times);
    if (grafts.empty())
        return;
    std::vector<std::uint32_t> shown_below(paths.size(), no_index);  // by path: the latest graft
    for (std::uint32_t i = 0; i < grafts.size(); i++) {
        const std::uint32_t node = grafts[i].node;
        for (std::uint32_t path = paths[thread.path_of[node]].parent; path != no_index;
             path = paths[path].parent)
            shown_below[path] = i;
        for (std::uint32_t around = times[node].parent; around != 0;
             around = times[around].parent) {
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

// A long call may have been one that was not timed: what was called in it tells.
void raise_estimates(std::vector<NodeTimes>& times) {
    std::vector<std::int64_t> callees(times.size(), 0);
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
        if (own.thinned)
            own.active = std::max(own.active, callees[i]);
        if (has_time_of_its_own(own))
            add_saturating(callees[own.parent], own.active);
    }
}

// Takes out of each node's time what measuring has cost there and below; but no more than leaves it
// the time of its callees, for hooks cost less than in our loops where the processor waits for
// something else meanwhile.
void take_out_cost(std::vector<NodeTimes>& times) {
    std::vector<double> cost_below(times.size(), 0.0);
    std::vector<std::int64_t> callees(times.size(), 0);
    for (std::size_t i = times.size(); i-- > 1;) {
        NodeTimes& own = times[i];
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

// Whether callers may stand still while what they have called goes on, in fibers.
bool has_fibers(const ThreadRecord& record) {
    int stacks = 0;
    for (const StackSegment* segment = __atomic_load_n(&record.segments, __ATOMIC_ACQUIRE); segment;
         segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
        stacks += !segment->of_signals;
    return stacks > 1;
}

// Where callees, being estimates, have more time than their caller, all below is shortened alike.
// Folded recursion may have more for other reasons: by so much as times that are no estimates have.
void fit_into_callers(std::vector<NodeTimes>& times) {
    std::vector<double> callees(times.size(), 0.0), exact(times.size(), 0.0),
        scale(times.size(), 1.0);
    for (std::size_t i = 1; i < times.size(); i++) {
        if (!has_time_of_its_own(times[i]))
            continue;
        callees[times[i].parent] += static_cast<double>(times[i].active);
        if (!times[i].thinned)
            exact[times[i].parent] += static_cast<double>(times[i].raw_active);
    }
    for (std::size_t i = 1; i < times.size(); i++) {
        NodeTimes& own = times[i];
        const double limit = own.parent == 0 ? static_cast<double>(own.raw_active) : 0.0;
        scale[i] = scale[own.parent];
        if (limit > 0 && static_cast<double>(own.active) > limit)
            scale[i] = limit / static_cast<double>(own.active);
        if (!has_time_of_its_own(own))
            continue;
        own.active = static_cast<std::int64_t>(static_cast<double>(own.active) * scale[i]);
        const double more = std::max(exact[i] - static_cast<double>(own.raw_active), 0.0);
        const double room = static_cast<double>(own.active) + more;
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

}  // namespace

std::vector<NodeTimes> times_of_tree(const NodePaths::Thread& thread, const Profile& profile,
                                     const ProcessRecord& process, std::uint64_t end_ticks,
                                     const HookCosts& costs, bool corrected) {
    std::vector<NodeTimes> times = closed_calls(thread, costs);
    if (times.empty())
        return times;
    const OpenCalls open = open_calls(*thread.record, process, end_ticks);
    for (const StackSegment* segment = __atomic_load_n(&thread.record->segments, __ATOMIC_ACQUIRE);
         segment; segment = __atomic_load_n(&segment->next, __ATOMIC_ACQUIRE))
        add_open_calls(*segment, open, times);
    raise_estimates(times);
    for (NodeTimes& own : times)
        own.raw_active = own.active;
    const bool fits = !has_fibers(*thread.record);
    if (fits)
        fit_into_callers(times);
    add_sampled_times(times);
    set_exclusive_times(times);
    take_out_grafts(thread, profile.paths, times);
    for (NodeTimes& own : times) {
        own.raw_exclusive = own.exclusive;
        own.raw_inclusive = own.inclusive;
    }
    set_variances(times);
    add_sampled_variances(times);
    if (corrected) {
        take_out_cost(times);
        if (fits)
            fit_into_callers(times);
        add_sampled_times(times);
        set_exclusive_times(times);
        take_out_grafts(thread, profile.paths, times);
    }
    return times;
}

}  // namespace vftrace
