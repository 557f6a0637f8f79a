// Functions that need not be measured in runs with different parameters, because an analysis of
// parameters shows that their time is the same in all.
#pragma once

#include <vector>

#include "dependences/parameter_analysis.hpp"
#include "filter/worthless_functions.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The functions that the analysis knows as a profile without times, for filters that are made
// before a program is measured: a path for each, of which those that depend on parameters have all
// of the time.
Profile profile_of_functions(const ParameterAnalysis& analysis);

// The functions of the profile that, with all that they call, depend on no parameter, the largest
// overhead first. Not main, nor functions with a path to an MPI function, an OpenMP construct, a
// region or a thread.
std::vector<FunctionCost> independent_functions(const Profile& profile,
                                                const ParameterAnalysis& analysis);

}  // namespace vftrace
