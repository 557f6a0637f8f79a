// The tables of models, for text and CSV.
#pragma once

#include "commands/model_input.hpp"
#include "report/table.hpp"

namespace vftrace::tools {

// "n = 100, p = 4".
std::string point_text(const std::vector<std::string>& names, const std::vector<double>& values);

struct ModelTableOptions {
    std::size_t limit = 0;  // rows with models of each metric
    bool tree = false;      // below their callers, instead of one after the other
    double min_share_percent = 0;
};

// A table for each metric.
void print_model_tables(const ModelSet& set, const ModelTableOptions& options, TableOutput& out);

// The models of two sets of runs side by side, by call path, those first whose predictions differ
// most. Both have the same parameters and the same target.
void print_compared_models(const ModelSet& before, const ModelSet& after, std::size_t limit,
                           TableOutput& out);

}  // namespace vftrace::tools
