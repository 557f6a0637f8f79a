// The parameters that an analysis allows in the models of call paths.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dependences/dependences.hpp"
#include "dependences/parameter_analysis.hpp"
#include "model/allowed_parameters.hpp"
#include "model/run_table.hpp"

namespace vftrace::tools {

class AnalysedParameters {
  public:
    // Reads the analysis in the file. `names`: the parameters of the models. Throws
    // ProfileFormatError.
    AnalysedParameters(const std::string& file, std::vector<std::string> names);
    AnalysedParameters(const AnalysedParameters&) = delete;
    AnalysedParameters& operator=(const AnalysedParameters&) = delete;

    // The parameters of a path of the table, and which of them may be multiplied. A path is not
    // restricted if the analysis knows none of its functions, and neither are parameters that it
    // has not followed.
    AllowedParameters of_path(const RunTable& table, std::uint32_t path, bool with_callees) const;

    // Whether the analysis knows on which parameters the path depends: it knows one of its
    // functions.
    bool is_known(const RunTable& table, std::uint32_t path, bool with_callees) const;

    // The parameters that the analysis has not followed.
    std::vector<std::string> not_followed() const;

  private:
    ParameterAnalysis analysis_;
    ParameterDependences dependences_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> model_parameter_;  // by parameter of the analysis; no_index if none
    std::vector<std::uint32_t> free_;             // those of the models that were not followed
};

}  // namespace vftrace::tools
