// How metrics differ between two runs, as vftrace diff prints it.
#pragma once

#include <cstddef>
#include <vector>

#include "base/output_file.hpp"
#include "compare/metric_difference.hpp"
#include "profile/json_writer.hpp"

namespace vftrace::tools {

// One table per metric of call paths, of at most `limit` rows, and one per source for the sums over
// threads, ranks and hosts. Inclusive metrics are left out, because the exclusive ones show the
// same.
void print_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              std::size_t limit, OutputFile& out);

// Writes the member "metrics" of the open object, if there are any metrics.
void write_metric_differences(const std::vector<MetricDifference>& metrics, DifferenceBy by,
                              JsonWriter& json);

}  // namespace vftrace::tools
