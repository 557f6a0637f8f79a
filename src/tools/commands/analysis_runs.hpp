// Runs a program that was built for the analysis of parameters as often as needed to follow all
// parameters.
#pragma once

#include <string>
#include <vector>

#include "dependences/parameter_analysis.hpp"

namespace vftrace::tools {

struct AnalysisRuns {
    ParameterAnalysis analysis;  // of all runs and ranks
    int program_status = 0;      // the exit status of the first run, as a shell reports it
};

// Runs the command, which may be a launcher of ranks, with the files of the analysis in a temporary
// folder. A run can follow eight parameters, so the run is repeated until all parameters have been
// followed; the program's output is shown in the first run only. Throws CommandError if the program
// cannot be run or leaves no result.
AnalysisRuns run_analysis(std::vector<std::string> command);

}  // namespace vftrace::tools
