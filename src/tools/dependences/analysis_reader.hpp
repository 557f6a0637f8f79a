// Reads an analysis of parameters from a JSON file in the format of Perf-taint or ours. For tools:
// it throws exceptions.
#pragma once

#include <string>
#include <string_view>

#include "dependences/parameter_analysis.hpp"

namespace vftrace {

// The analysis in the file `path`, with every index checked. Throws ProfileFormatError with a text
// that begins with the path if the file cannot be read or is not a parameter analysis.
ParameterAnalysis read_parameter_analysis(const std::string& path);

// The same for text that is already in memory.
ParameterAnalysis parse_parameter_analysis(std::string_view text);

}  // namespace vftrace
