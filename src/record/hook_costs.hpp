// The cost of calls to the program, by shape; kept in the record of the process.
#pragma once

#include <initializer_list>

namespace vftrace {

// Ticks, on average.
struct CallCost {
    double all;     // by which a call is longer than without its hooks
    double inside;  // of that, what lies in the time that is measured for the call itself
    // So much of a call that takes longer is done while the hooks do what is inside, or before the
    // clock has been read: a processor does several things at once.
    double overlap;
};

struct HookCosts {
    CallCost timed;      // the callee that was called last, every call timed
    double table_entry;  // in addition, another callee than last
    double nested;       // direct recursion
    CallCost fold;       // recursion that is folded
    double untimed;      // of a thinned node
    CallCost thinned;    // the timed calls of such
    double new_path;     // in addition, the first call of a path
    CallCost mpi;        // a wrapper, without the messages that it may record
    CallCost region;
    CallCost prologue;            // in addition, hooks in the prologue and the epilogue
    CallCost prologue_thinned;    // the same for the timed calls of a thinned node
    double prologue_table_entry;  // in addition to both, another callee than last
};

// All costs, for operations on each of them.
inline constexpr double HookCosts::*single_costs[] = {&HookCosts::table_entry, &HookCosts::nested,
                                                      &HookCosts::untimed, &HookCosts::new_path,
                                                      &HookCosts::prologue_table_entry};
inline constexpr CallCost HookCosts::*call_costs[] = {
    &HookCosts::timed,  &HookCosts::fold,     &HookCosts::thinned,         &HookCosts::mpi,
    &HookCosts::region, &HookCosts::prologue, &HookCosts::prologue_thinned};

// Costs, and how far they may be from the truth: a part of themselves.
struct Calibration {
    HookCosts costs;
    double uncertainty;
};
// A minimum, because hooks cost more or less among other code than in loops of their own.
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
