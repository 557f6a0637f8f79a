// Functions that are not worth measuring, because measuring costs a large part of their own time.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The figures of one function: of all its paths together, or those measured before its hooks were
// removed.
struct FunctionCost {
    std::uint32_t function = 0;  // index into Profile::functions
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0;
    std::int64_t overhead_ns = 0;  // the cost of measuring its calls
    bool filtered = false;         // its hooks were removed during the run
};

struct WorthlessLimits {
    // Overhead / own time at and above which a function is worthless. So measuring the remaining
    // functions costs less than this share of the run time, half of what the budget of a run allows
    // by default. Functions with a tenth of the total time may cost ten times as much, because they
    // are where the time is spent.
    double share = 0.05;
    // Worthless functions that are not listed because they cost almost nothing: together at most
    // this share of the time of all functions.
    double min_overhead = 0.001;
    std::uint64_t min_calls = 1;
};

// Calls, times and overhead of every instrumented function that has a path, by index.
std::vector<FunctionCost> function_costs(const Profile& profile);

// By index of the function: whether the profile needs it. That is so if its own time is at least
// `min_share` of that of all functions, or if it is main or has a path to an MPI function, an
// OpenMP construct, a region or a thread.
std::vector<bool> functions_that_matter(const Profile& profile, double min_share);

// The functions that are worthless by these limits, and all that were filtered in the run, the
// largest overhead first. The former exclude main and functions with a path to an MPI function, an
// OpenMP construct, a region or a thread.
std::vector<FunctionCost> worthless_functions(const Profile& profile,
                                              const WorthlessLimits& limits);

}  // namespace vftrace
