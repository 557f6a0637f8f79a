#include "lifecycle/cost_of_measuring.hpp"

#include <algorithm>
#include <cmath>

#include "base/saturating.hpp"
#include "guest/floating_point.hpp"
#include "lifecycle/patterns.hpp"
#include "overhead/budget.hpp"
#include "overhead/function_filter.hpp"
#include "overhead/hook_cost.hpp"
#include "overhead/unwanted.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/thinning.hpp"
#include "tree/upcalls.hpp"
#include "tree/visit_nodes.hpp"

namespace vftrace {

const OverheadCalls* overhead_calls;
const OffCalls* off_calls;

namespace {

constexpr OverheadCalls calls = {.review = review_budget,
                                 .unwanted = &unwanted_functions,
                                 .is_refused = is_refused,
                                 .is_removed = is_removed,
                                 .remove_entry = remove_entry,
                                 .remove_exit = remove_exit,
                                 .forget = forget_unwanted};

// The relative difference of two calibrations above which there is a notice.
constexpr double remarkable_difference = 0.5;

FunctionFilter* function_filter;  // nullptr: all functions are recorded

void prepare_filter(const Options& options) {
    if (!options.filter_include && !options.filter_exclude)
        return;
    function_filter = new FunctionFilter(options.filter_include, options.filter_exclude);
    function_filter->add_loaded_files();
    if (FunctionSet* included = function_filter->included())
        watch_pattern("filter.include", options.filter_include->c_str(), *included,
                      LaterLibraries::left_alone);
    if (FunctionSet* excluded = function_filter->excluded())
        watch_pattern("filter.exclude", options.filter_exclude->c_str(), *excluded,
                      LaterLibraries::left_alone);
    set_function_filter(
        [](std::uintptr_t function) { return function_filter->excludes(function); });
    overhead_calls = &calls;
    take_out_excluded(function_filter->file_addresses());
}

// The budget as a share of the run time including the cost of measuring; the option refers to the
// run time without it.
double share_of_budget(const Options& options) {
    // A trace without an interval must contain all calls; without a hot path nothing can be saved.
    const bool traces_all = trace_settings.active && trace_settings.interval_ns == 0;
    if (traces_all || !tree_settings.processor_ticks)
        return 0.0;
    return options.overhead_budget / (100 + options.overhead_budget);
}

std::uint64_t rounded_ns(double ticks, double ns_per_tick) {
    return static_cast<std::uint64_t>(saturated_ns(std::round(ticks * ns_per_tick), 1.0));
}

// The calls whose times are corrected.
struct CorrectedCalls {
    bool any = false;
    bool of_hooks = false;  // of functions
};

CorrectedCalls corrected_calls(const ProcessRecord& process) {
    CorrectedCalls found{process.unwanted.count > 0, process.unwanted.count > 0};
    visit_threads([&](const ThreadRecord& thread) {
        visit_nodes(thread, [&](const Node& node) {
            // Other threads may still count.
            if (__atomic_load_n(&node.calls, __ATOMIC_RELAXED) == 0 ||
                (__atomic_load_n(&node.flags, __ATOMIC_RELAXED) & node_sampled) ||
                row_of(node.kind).cost == KindCost::none)
                return;
            found.any = true;
            found.of_hooks |= node.kind == NodeKind::function;
        });
    });
    return found;
}

}  // namespace

void prepare_overhead(const Options& options) {
    thinning_settings.active =
        options.timing == "auto" && !trace_settings.active && tree_settings.processor_ticks;
    if (share_of_budget(options) > 0)
        overhead_calls = &calls;
    prepare_filter(options);
}

void start_overhead(ProcessRecord& record, const Options& options) {
    HeldFloatingPointTraps held;
    record.hook_costs = measure_hook_costs();
    const double share = share_of_budget(options);
    if (thinning_settings.active || share > 0)
        thinning_settings.short_call = short_call_ticks(record.hook_costs, share);
    if (overhead_calls)
        note_unwanted_in_record();
    // The length of a tick is known only at the end: until then that of 3 GHz is assumed.
    constexpr double ticks_per_ms = 3e6;
    start_budget({.share = share, .costs = record.hook_costs, .ticks_per_ms = ticks_per_ms});
}

Calibration final_calibration(const ProcessRecord& record, double ns_per_tick, RunInfo& run) {
    const CorrectedCalls calls = corrected_calls(record);
    if (!calls.any)  // as in a program that is only sampled
        return {record.hook_costs, least_uncertainty};
    const HookCosts &start = record.hook_costs, end = measure_hook_costs();
    const HookCosts costs = mean(start, end);
    const double difference = std::abs(start.timed.all - end.timed.all);
    const double uncertainty = costs.timed.all > 0 ? difference / costs.timed.all : 0.0;
    if (calls.of_hooks && uncertainty > remarkable_difference)
        add_notice(run.notices, {NoticeCode::hook_cost_changed,
                                 {rounded_ns(start.timed.all, ns_per_tick),
                                  rounded_ns(end.timed.all, ns_per_tick)}});
    return {costs, std::max(uncertainty / 2, least_uncertainty)};
}

}  // namespace vftrace
