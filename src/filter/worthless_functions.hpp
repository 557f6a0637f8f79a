// Functions that are not worth measuring, because measuring them costs much of their own time.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// One function, all of its paths together, or what was measured before its hooks were removed.
struct FunctionCost {
    std::uint32_t function = 0;  // index into Profile::functions
    std::uint64_t calls = 0;
    std::int64_t exclusive_ns = 0;
    std::int64_t overhead_ns = 0;  // what measuring its calls cost
    bool filtered = false;         // its hooks were removed during the run
};

struct WorthlessLimits {
    // Overhead / own time from which a function is worthless. So what remains costs less than that
    // of the run time, half of what the budget of a run allows by default. Functions that have a
    // tenth of the time of all may cost ten times as much: there the time goes.
    double share = 0.05;
    // Worthless functions that are not listed because they cost next to nothing: together this
    // part of the time of all functions.
    double min_overhead = 0.001;
    std::uint64_t min_calls = 1;
};

// Calls, times and overhead of every instrumented function that has a path, by index.
std::vector<FunctionCost> function_costs(const Profile& profile);

// By index of the function: whether the profile would miss it. Its own time is at least `min_share`
// of that of all functions, or it is main or has a path to an MPI function, an OpenMP construct, a
// region or a thread.
std::vector<bool> functions_that_matter(const Profile& profile, double min_share);

// Those that are worthless by these limits and all that were filtered in the run, the largest
// overhead first. Never main, nor functions with a path to an MPI function, an OpenMP construct, a
// region or a thread.
std::vector<FunctionCost> worthless_functions(const Profile& profile,
                                              const WorthlessLimits& limits);

}  // namespace vftrace
