// The parameters that an analysis allows in the models of call paths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dependences/dependences.hpp"
#include "dependences/parameter_analysis.hpp"
#include "model/modeller.hpp"
#include "model/run_table.hpp"

namespace vftrace::tools {

class AnalysedParameters {
  public:
    // The analysis of the file. `names`: the parameters of the models. Throws ProfileFormatError.
    AnalysedParameters(const std::string& file, std::vector<std::string> names);
    AnalysedParameters(const AnalysedParameters&) = delete;
    AnalysedParameters& operator=(const AnalysedParameters&) = delete;

    // For a path of the table: its parameters, and which of them may be multiplied. Paths of which
    // the analysis knows no function are not restricted, and neither are parameters that it has not
    // followed.
    AllowedParameters of_path(const RunTable& table, std::uint32_t path, bool with_callees) const;

    // The parameters that the analysis has not followed.
    std::vector<std::string> not_followed() const;

  private:
    ParameterAnalysis analysis_;
    ParameterDependences dependences_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> model_parameter_;  // by parameter of the analysis; no_index: none
    std::vector<std::uint32_t> free_;             // of the models, that were not followed
};

}  // namespace vftrace::tools
