// The times of the nodes of a watched process. Only nodes that have changed since the last refresh,
// and the nodes above them, are computed.
#include <algorithm>
#include <bit>

#include "live/live_tree.hpp"
#include "record/node_cost.hpp"
#include "record/thinned_time.hpp"

namespace vftrace {

void LiveTree::update(std::uint32_t index, const Node& read, bool is_new) {
    NodeState& state = nodes_[index];
    LiveThread& thread = threads_[state.thread];
    Node node = read;
    node.last_callee = nullptr;  // must not be dereferenced here
    node.kind = state.kind;
    if (node.calls >= state.costs_due)
        set_costs(state, node);
    if (is_new)
        overhead_ += cost_of(node, file_.record().hook_costs).all * ns_per_tick_ * 1e-9;
    else if (node.calls > state.calls)
        overhead_ +=
            state.cost_each * static_cast<double>(node.calls - state.calls) * ns_per_tick_ * 1e-9;
    const std::uint64_t polls =
        state.kind == NodeKind::mpi ? std::min(node.weight_squares, node.calls) : state.polls;
    // Unsigned differences may wrap around; adding them gives correct sums nevertheless.
    const std::uint64_t more_calls = node.calls - state.calls, more_polls = polls - state.polls;
    if (state.counts && more_calls != 0)
        changes_.push_back({state.path, more_calls, 0});
    if (state.kind != NodeKind::graft && state.kind != NodeKind::thread &&
        state.kind != NodeKind::samples)
        thread.calls += more_calls - more_polls;
    thread.polls += more_polls;
    state.calls = node.calls;
    state.polls = polls;
    const double before = state.ticks;
    const auto ticks = static_cast<double>(plausible_ticks(node.inclusive_ticks));
    if (state.flags & node_sampled) {
        state.ticks = static_cast<double>(plausible_ticks(node.weighted_ticks));
    } else if (state.kind == NodeKind::alias || node.timed_calls == 0) {
        state.ticks = ticks;
    } else {
        const ThinnedTime estimate = thinned_time(node);
        const CallsByTiming calls = calls_by_timing(node);
        state.thinned = calls.timed < calls.thinned;
        const double surplus =
            state.surplus_each * static_cast<double>(calls.thinned - calls.timed);
        state.ticks =
            ticks + std::clamp(estimate.ticks - surplus, 0.0, static_cast<double>(most_ticks));
    }
    set_dirty(index);
    if (state.kind == NodeKind::alias && state.target != no_path)
        fold(state.parent, state.target, state.ticks - before, &NodeState::folded);
}

// The time of folded recursion is already in its target, and must not be in the paths between them.
void LiveTree::fold(std::uint32_t caller, std::uint32_t target, double ticks,
                    double NodeState::*part) {
    for (; caller > target; caller = nodes_[caller].parent) {
        nodes_[caller].*part -= ticks;
        set_dirty(caller);
        if (part == &NodeState::open)
            open_nodes_.push_back(caller);
    }
}

double LiveTree::cost_of_call(const Node& node) const {
    const HookCosts& costs = file_.record().hook_costs;
    switch (row_of(node.kind == NodeKind::alias ? NodeKind::function : node.kind).cost) {
    case KindCost::none:
        break;
    case KindCost::function:
        return node.flags & node_sampled ? 0 : cost_of_next_call(node, costs);
    case KindCost::hook:
        return costs.timed.all;
    case KindCost::region:
        return costs.region.all;
    case KindCost::wrapper:
        return costs.mpi.all;
    }
    return 0;
}

void LiveTree::set_costs(NodeState& state, const Node& node) const {
    const CallsByTiming calls = calls_by_timing(node);
    const std::uint64_t untimed = calls.thinned - calls.timed;
    state.costs_due = node.calls + node.calls / 8 + 1;
    state.cost_each = cost_of_call(node);
    state.surplus_each = untimed > 0 ? cost_of(node, file_.record().hook_costs).surplus /
                                           static_cast<double>(untimed)
                                     : 0;
}

void LiveTree::set_open_times() {
    for (const std::uint32_t index : open_nodes_) {
        nodes_[index].open = 0;
        set_dirty(index);
    }
    open_nodes_.clear();
    for (const OpenFrame& frame : open_frames_) {
        if (frame.kind == frame_fold) {
            fold(frame.below, frame.node, frame.ticks, &NodeState::open);
        } else if (frame.ticks != 0 && !(nodes_[frame.node].flags & node_sampled)) {
            nodes_[frame.node].open += frame.ticks;
            set_dirty(frame.node);
            open_nodes_.push_back(frame.node);
        }
    }
}

// Callers have smaller indices than their callees, so in descending order all callees of a node are
// computed before the node.
void LiveTree::compute() {
    set_open_times();
    if (const double seconds = ns_per_tick_ * 1e-9; seconds != seconds_per_tick_) {
        seconds_per_tick_ = seconds;
        for (std::uint32_t i = 0; i < nodes_.size(); i++)
            set_dirty(i);
    }
    for (std::size_t word = dirty_.size(); word-- > 0;)
        while (dirty_[word] != 0) {
            const unsigned bit = (static_cast<unsigned>(std::bit_width(dirty_[word])) - 1) % 64;
            dirty_[word] ^= std::uint64_t{1} << bit;
            compute(static_cast<std::uint32_t>(word * 64 + bit));
        }
    calls_ = 0;
    for (const LiveThread& thread : threads_)
        calls_ += thread.calls;
}

void LiveTree::compute(std::uint32_t index) {
    NodeState& node = nodes_[index];
    if (node.kind == NodeKind::alias || node.kind == NodeKind::samples)
        return;
    const bool is_root = node.parent == index;
    double ticks = node.ticks + node.folded + node.open;
    if (node.flags & node_sampled)
        ticks += node.callees;
    else if (node.thinned || is_root)
        ticks = std::max(ticks, node.callees);
    if (is_root)
        return;
    const bool paused = node.kind == NodeKind::pause;
    const double counted = paused ? 0 : ticks;
    if (counted != node.counted) {
        nodes_[node.parent].callees += counted - node.counted;
        node.counted = counted;
        set_dirty(node.parent);
    }
    const double exclusive = paused ? 0 : (ticks - node.callees) * seconds_per_tick_;
    if (exclusive == node.exclusive)
        return;
    changes_.push_back({node.path, 0, exclusive - node.exclusive});
    threads_[node.thread].seconds[static_cast<std::size_t>(node.time_in)] +=
        exclusive - node.exclusive;
    node.exclusive = exclusive;
}

void LiveTree::add_to(std::vector<std::uint64_t>& calls, std::vector<double>& exclusive) const {
    for (const NodeState& node : nodes_) {
        calls[node.path] += node.counts ? node.calls : 0;
        exclusive[node.path] += node.exclusive;
    }
}

void LiveTree::add_changes_to(std::vector<std::uint64_t>& calls, std::vector<double>& exclusive) {
    for (const Change& change : changes_) {
        calls[change.path] += change.calls;
        exclusive[change.path] += change.exclusive;
    }
    changes_.clear();
}

}  // namespace vftrace
