// How metrics differ between two runs, as vftrace diff prints it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/output_file.hpp"
#include "compare/metric_difference.hpp"
#include "profile/json_writer.hpp"

namespace vftrace::tools {

// A table a metric of call paths, of at most `limit` rows, and one a source of what threads, ranks
// and hosts have as a whole; of inclusive metrics none, as their exclusive ones say the same.
void print_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              std::size_t limit, OutputFile& out);

// The member "metrics" of the object that is being written, if there are any.
void write_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              JsonWriter& json);

}  // namespace vftrace::tools
