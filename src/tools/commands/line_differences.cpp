#include "commands/line_differences.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

// Name of the file, function, and distance from the line where that is declared.
using LineKey = std::tuple<std::string, std::string, std::int64_t>;
using Lines = std::map<LineKey, LineDifference>;

// Returns the names of the modules whose lines are known.
std::set<std::string> add_lines(const std::string& file, bool is_b, Lines& lines) {
    const Profile profile = read_profile(file);
    if (profile.addresses.empty())
        throw CommandError(fmt::format("{}: {}", printable(file), no_addresses));
    const SampledLines sampled(profile, SourceMap());
    for (const std::string& problem : sampled.problems())
        remark(problem);
    std::set<std::string> known;
    for (const SampleOnLine& sample : sampled.samples()) {
        if (sample.places->empty() || sample.places->front().line == 0)
            continue;
        const SourcePlace& place = sample.places->front();
        LineKey key{base_name(place.file), place.function,
                    std::int64_t{place.line} - place.function_line};
        LineDifference& line = lines[std::move(key)];
        line.file = place.file;
        line.module = base_name(profile.modules[sample.module].path);
        known.insert(line.module);
        line.function = place.function_display;
        (is_b ? line.line_b : line.line_a) = place.line;
        (is_b ? line.ns_b : line.ns_a) += sample.ns;
        line.variance += sample.variance;
    }
    return known;
}

std::string lines_text(const LineDifference& line) {
    const std::string_view file = base_name(line.file);
    if (line.line_a == 0 || line.line_b == 0 || line.line_a == line.line_b)
        return fmt::format("{}:{}", file, std::max(line.line_a, line.line_b));
    return fmt::format("{}:{} ({} in B)", file, line.line_a, line.line_b);
}

}  // namespace

std::vector<LineDifference> line_differences(const std::string& file_a, const std::string& file_b,
                                             double least_ns) {
    Lines lines;
    const std::set<std::string> known_a = add_lines(file_a, false, lines);
    const std::set<std::string> known_b = add_lines(file_b, true, lines);
    std::vector<LineDifference> result;
    // A line is not new because those of the other run are unknown.
    for (auto& [key, line] : lines)
        if (known_a.contains(line.module) && known_b.contains(line.module) &&
            std::max(line.ns_a, line.ns_b) >= least_ns)
            result.push_back(std::move(line));
    std::stable_sort(result.begin(), result.end(), [](const auto& x, const auto& y) {
        return std::abs(x.ns_b - x.ns_a) > std::abs(y.ns_b - y.ns_a);
    });
    return result;
}

void print_line_differences(const std::vector<LineDifference>& lines, std::size_t limit,
                            OutputFile& out) {
    const Column columns[] = {time_column("time_a", "t A[s]"),
                              time_column("time_b", "t B[s]"),
                              time_column("time_more", "B-A[s]"),
                              time_column("time_error", "+-[s]"),
                              text_column("place", "Line", Align::left),
                              text_column("function", "Function", Align::left)};
    const TableSpec spec = {.id = "line_differences",
                            .title = "\nSource lines, by their distance from the beginning of "
                                     "their function",
                            .row = "line",
                            .columns = columns};
    const std::size_t shown = std::min(lines.size(), limit);
    print_table(out, spec, shown, [&](std::size_t i, TableRow& row) {
        const LineDifference& line = lines[i];
        row.number(line.ns_a / 1e9);
        row.number(line.ns_b / 1e9);
        row.number((line.ns_b - line.ns_a) / 1e9);
        row.number(std::sqrt(line.variance) / 1e9);
        row.text(printable(lines_text(line)));
        row.text(printable(line.function));
    });
    if (shown < lines.size())
        out.write(fmt::format("({} more line{})\n", lines.size() - shown,
                              plural_s(lines.size() - shown)));
}

void write_line_differences(const std::vector<LineDifference>& lines, JsonWriter& json) {
    const auto line_number = [&](const char* key, std::uint32_t line) {
        if (line > 0)
            json.key(key).unsigned_integer(line);
    };
    json.key("lines").begin_array();
    for (const LineDifference& line : lines) {
        json.begin_object(JsonWriter::Layout::compact);
        json.key("file").string(line.file);
        json.key("function").string(line.function);
        line_number("line_a", line.line_a);
        line_number("line_b", line.line_b);
        json.key("a_ns").integer(std::llround(line.ns_a));
        json.key("b_ns").integer(std::llround(line.ns_b));
        json.key("error_ns").integer(std::llround(std::sqrt(line.variance)));
        json.end_object();
    }
    json.end_array();
}

}  // namespace vftrace::tools
