// How metrics differ between two runs, as vftrace diff prints it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/output_file.hpp"
#include "compare/metric_difference.hpp"
#include "profile/json_writer.hpp"

namespace vftrace::tools {

// A table a metric of at most `limit` rows; of inclusive ones none, as their exclusive ones tell
// it.
void print_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              std::size_t limit, OutputFile& out);

// The member "metrics" of the object that is being written, if there are any.
void write_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              JsonWriter& json);

}  // namespace vftrace::tools
