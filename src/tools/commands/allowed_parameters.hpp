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
    // restricted if it is not known, and neither are parameters that it
    // has not followed.
    AllowedParameters of_path(const RunTable& table, std::uint32_t path, bool with_callees) const;

    // Whether the analysis knows on which parameters the path depends: it knows its function, or
    // the nearest one that calls it, and nothing in it, around it or, with callees, below it is
    // unknown.
    bool is_known(const RunTable& table, std::uint32_t path, bool with_callees) const;

    // The parameters that the analysis has not followed.
    std::vector<std::string> not_followed() const;

  private:
    bool is_unknown(const RunTable& table, std::uint32_t path) const;

    ParameterAnalysis analysis_;
    ParameterDependences dependences_;
    std::vector<std::string> names_;
    std::vector<std::uint32_t> model_parameter_;  // by parameter of the analysis; no_index if none
    mutable std::vector<bool> unknown_below_;     // by path of the table; empty: not yet computed
    std::vector<std::uint32_t> free_;             // those of the models that were not followed
};

}  // namespace vftrace::tools
