// What `vftrace model` reads and finds, before it is printed: the runs, their parameters, and the
// models of all metrics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands/model_report.hpp"
#include "model/next_points.hpp"
#include "model/parameter_choice.hpp"
#include "model/path_models.hpp"

namespace vftrace::tools {

// The parameters that an analysis found for a path, for tables: "n * p + q", "none", "unknown";
// empty if there is no analysis.
using AnalysedTexts = std::vector<std::string>;  // by index into RunTable::paths()

struct ModelSet {
    RunTable table;
    ParameterChoice choice;
    std::unique_ptr<Modeller> modeller;
    std::vector<MetricModels> models;                // by metric of the table
    std::vector<AnalysedTexts> analysed;             // the same; empty without an analysis
    std::vector<std::vector<std::string>> findings;  // the same
    std::vector<NextPoint> next;                     // from the first metric
    std::vector<std::string> notes;
    // The places in PathModel::intervals of the points along each parameter, first and one past
    // the last, and these points.
    std::vector<std::pair<std::size_t, std::size_t>> along;
};

// Reads these files of the arguments. Throws CommandError, ModelError and ProfileFormatError.
ModelSet read_models(const ModelArguments& arguments, const std::vector<std::string>& files,
                     const std::vector<RunParameter>& predict);

// The point of --predict and --where. Throws UsageError.
std::vector<RunParameter> point_of(const std::vector<std::string>& texts, const char* option);

}  // namespace vftrace::tools
