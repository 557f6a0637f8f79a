// Keeps the cost of measuring within the allowed share of the run time.
//
// Reviews examine all trees from time to time, estimate the cost of each function's calls and the
// time of the functions themselves, and mark those as unwanted (overhead/unwanted.hpp) that cost
// most relative to their own time, until the rest fits. Functions that lead to MPI, OpenMP, regions
// or threads, and precise ones, are kept.
#pragma once

#include <cstdint>

#include "record/hook_costs.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

struct BudgetSettings {
    double share;         // of the run time, including measuring; 0: no hooks are removed
    HookCosts costs;      // ticks
    double ticks_per_ms;  // of the clock of the tree
};

// Takes effect from now on, in this process. A child of fork calls it again.
void start_budget(const BudgetSettings& settings);

// Makes one review, on any thread; does nothing while another one is in progress. Costs about 30 ns
// per path.
void review_budget(ThreadState& state, std::uint64_t now);

// Calls shorter than this many ticks are worth thinning, and trigger reviews.
std::uint64_t short_call_ticks(const HookCosts& costs, double share);

}  // namespace vftrace
