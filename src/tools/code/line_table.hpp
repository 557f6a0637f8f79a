// The table of source lines by the time of their samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "code/sampled_lines.hpp"
#include "findings/findings.hpp"
#include "profile/profile.hpp"
#include "report/path_text.hpp"
#include "report/report_options.hpp"
#include "report/table.hpp"

namespace vftrace {

// A line of a function, or, without lines, the function with an address.
struct LineFigures {
    std::string file;
    std::uint32_t line = 0;    // 0: unknown, and `file` is the module, or empty
    std::uint64_t offset = 0;  // if the line is unknown: in the function, or else in the module
    std::string function;      // as tables show it
    bool is_in_function = true;
    bool is_source = false;  // `file` is a source file; without line: code that the compiler made
    std::uint64_t samples = 0;
    double ns = 0, variance = 0;  // in the code of the line itself
    double with_inlined_ns = 0;   // and in what is inlined there
};

// The lines by their own time, largest first.
std::vector<LineFigures> line_figures(const Profile& profile, const SampledLines& lines);

// The same for each line of each function in which it is, or is inlined. Without unknown lines.
struct LineOfFunction {
    std::string file;
    std::uint32_t line, function;  // index into Profile::functions
    std::uint64_t samples = 0;
    double ns = 0, with_inlined_ns = 0;
};
std::vector<LineOfFunction> lines_of_functions(const Profile& profile, const SampledLines& lines);

// Of the paths that findings are about, the line with most of their own time, and its share:
// "heat.cpp:120 (63 % of the own time)".
std::map<std::uint32_t, std::string> hot_lines_of_findings(const Profile& profile,
                                                           const std::vector<RunFinding>& findings,
                                                           const SourceMap& map);

void write_line_table(const Profile& profile, const SampledLines& lines,
                      const ReportOptions& options, TableOutput& out);

}  // namespace vftrace
