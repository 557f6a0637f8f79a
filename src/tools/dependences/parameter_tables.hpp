// Tables and sentences about an analysis of parameters, for users.
#pragma once

#include <cstddef>
#include <string>

#include "dependences/parameter_analysis.hpp"
#include "report/table.hpp"

namespace vftrace {

// "n * steps; p": the parameters of each set, which act together; "-" without sets.
std::string text_of_sets(const ParameterAnalysis& analysis, const std::vector<ParameterSet>& sets);

// What the program's time depends on, in sentences (which parameters act together and where, which
// do not, which are not used, what the analysis could not see), and the tables
//   parameters            each parameter: how many loops and functions depend on it
//   parameter_functions   each function with a loop that depends on one
//   parameter_loops       its loops, by call path
//   parameter_opaque      calls of code that was not analysed, with data that depend on parameters
// `longest_name`: longer names and call paths are shortened.
void print_parameters(const ParameterAnalysis& analysis, std::size_t longest_name,
                      TableOutput& out);

}  // namespace vftrace
