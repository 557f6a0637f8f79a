// How the durations of calls differ between two runs, for vftrace diff --latencies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "profile/json_writer.hpp"

namespace vftrace::tools {

// Percentiles (profile/latencies.hpp) of a function's calls, over all of its paths; 0 ns: below the
// shortest duration of which calls are distinguished.
struct LatencyFigures {
    std::uint64_t calls = 0;
    double median_ns = 0, p99_ns = 0, longest_ns = 0;
};

struct LatencyDifference {
    std::string function;
    LatencyFigures a, b;

    // By which factor the 99th percentile is larger in one of the runs than in the other.
    double ratio() const;
    // Two percentiles of neighbouring bins may stand for the same duration.
    bool is_certain() const;
};

// Functions with enough calls in both, those whose 99th percentiles differ most first. Throws
// CommandError if one of the profiles does not have durations of calls.
std::vector<LatencyDifference> latency_differences(const std::string& file_a,
                                                   const std::string& file_b);

void print_latency_differences(const std::vector<LatencyDifference>& rows, std::size_t limit,
                               OutputFile& out);
void write_latency_differences(const std::vector<LatencyDifference>& rows, JsonWriter& json);

}  // namespace vftrace::tools
