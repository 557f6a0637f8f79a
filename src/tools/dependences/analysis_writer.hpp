// Writes an analysis of parameters as JSON (doc/parameters-json.md).
#pragma once

#include "base/output_file.hpp"
#include "dependences/parameter_analysis.hpp"

namespace vftrace {

// `compatible`: write only the keys that Perf-taint has, too.
void write_parameter_analysis(const ParameterAnalysis& analysis, bool compatible, OutputFile& out);

}  // namespace vftrace
