// The differences of two runs by source line, for vftrace diff --lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "profile/json_writer.hpp"

namespace vftrace::tools {

// A line of a function: the same in both runs if it is as far from the beginning of its function,
// so that changes above the function do not matter.
struct LineDifference {
    std::string file, function;
    std::uint32_t line_a = 0, line_b = 0;  // 0: without samples there
    double ns_a = 0, ns_b = 0, variance = 0;
};

// Those with most change first; lines with less time than this in both are left out. Throws
// CommandError if one of the profiles does not have addresses of samples.
std::vector<LineDifference> line_differences(const std::string& file_a, const std::string& file_b,
                                             double least_ns);

void print_line_differences(const std::vector<LineDifference>& lines, std::size_t limit,
                            OutputFile& out);
void write_line_differences(const std::vector<LineDifference>& lines, JsonWriter& json);

}  // namespace vftrace::tools
