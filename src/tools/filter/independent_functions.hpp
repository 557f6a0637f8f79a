// Functions that need not be measured in runs with different parameters, because an analysis of
// parameters shows that their time is the same in all of them.
#pragma once

#include <vector>

#include "dependences/parameter_analysis.hpp"
#include "filter/worthless_functions.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// The functions of the analysis as a profile without measured times, for filters that are created
// before a program is measured. It has one path per function; the paths of functions that depend on
// parameters have all of the time.
Profile profile_of_functions(const ParameterAnalysis& analysis);

// The functions of the profile that, including everything that they call, do not depend on any
// parameter, the largest overhead first. Excludes main and functions with a path to an MPI
// function, an OpenMP construct, a region or a thread.
std::vector<FunctionCost> independent_functions(const Profile& profile,
                                                const ParameterAnalysis& analysis);

}  // namespace vftrace
