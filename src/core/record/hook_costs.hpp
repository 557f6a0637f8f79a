// The cost that calls cause to the program, by kind of call; kept in the record of the process.
#pragma once

#include <initializer_list>

namespace vftrace {

// Ticks, on average.
struct CallCost {
    double all;     // the time by which hooks lengthen a call
    double inside;  // the part of that which lies in the measured time of the call itself
    // In a longer call, this much of its work is done while the hooks do the part that is inside,
    // or before the clock has been read: a processor does several things at once.
    double overlap;
};

struct HookCosts {
    CallCost timed;      // the same callee as last time, every call timed
    double table_entry;  // in addition, for another callee than last time
    double nested;       // direct recursion
    CallCost fold;       // folded recursion
    double untimed;      // calls of a thinned node that are not timed
    CallCost thinned;    // the timed calls of such a node
    double new_path;     // in addition, for the first call of a path
    CallCost mpi;        // a wrapper, without the messages that it may record
    CallCost region;
    CallCost prologue;            // in addition, for hooks in the prologue and the epilogue
    CallCost prologue_thinned;    // the same for the timed calls of a thinned node
    double prologue_table_entry;  // in addition to both, for another callee than last time
};

// All costs, for operations on each one.
inline constexpr double HookCosts::*single_costs[] = {&HookCosts::table_entry, &HookCosts::nested,
                                                      &HookCosts::untimed, &HookCosts::new_path,
                                                      &HookCosts::prologue_table_entry};
inline constexpr CallCost HookCosts::*call_costs[] = {
    &HookCosts::timed,  &HookCosts::fold,     &HookCosts::thinned,         &HookCosts::mpi,
    &HookCosts::region, &HookCosts::prologue, &HookCosts::prologue_thinned};

// Costs and their uncertainty, as a fraction of the costs.
struct Calibration {
    HookCosts costs;
    double uncertainty;
};
// A minimum, because the cost of hooks among other code differs from that in the loops that measure
// it.
inline constexpr double least_uncertainty = 0.1;

inline HookCosts mean(const HookCosts& a, const HookCosts& b) {
    HookCosts costs = a;
    for (auto cost : single_costs)
        costs.*cost = (a.*cost + b.*cost) / 2;
    for (auto cost : call_costs)
        for (auto part : {&CallCost::all, &CallCost::inside, &CallCost::overlap})
            costs.*cost.*part = (a.*cost.*part + b.*cost.*part) / 2;
    return costs;
}

}  // namespace vftrace
