// Models as a JSON document for other programs: formulas as text and as numbers, and the points
// from which they were made, for plots.
#pragma once

#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "model/parameter_choice.hpp"
#include "model/path_models.hpp"

namespace vftrace::tools {

// Everything to be printed.
struct ModelReport {
    const RunTable& table;
    const ParameterChoice& choice;
    const Modeller& modeller;
    const std::vector<MetricModels>& models;  // by metric of the table
    const std::vector<std::string>& notes;
    double min_share_percent;
};

// `limit`: rows of each metric. doc/scaling-models.md describes the layout.
void write_models_json(const ModelReport& report, std::size_t limit, OutputFile& out);

}  // namespace vftrace::tools
