// Merges the analyses of parameters of the ranks of a job, or of runs with different input, into
// one.
#pragma once

#include <vector>

#include "dependences/parameter_analysis.hpp"

namespace vftrace {

// Functions are the same if their symbols are; parameters if their names are; profiles of a
// function if their loops are, and the loops of all that they call. Call stacks are united; calls
// of code that is not analysed are added up. A single analysis remains unchanged.
ParameterAnalysis merge_analyses(const std::vector<ParameterAnalysis>& analyses);

}  // namespace vftrace
