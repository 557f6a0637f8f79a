// vftrace diff: what became slower or faster, appeared or disappeared between two runs.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/core.h>

#include "base/output_file.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/latency_differences.hpp"
#include "commands/line_differences.hpp"
#include "commands/metric_differences.hpp"
#include "compare/profile_difference.hpp"
#include "profile/json_writer.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

struct DiffArguments {
    std::string file_a, file_b;
    std::string by = "function";
    double min_time_s = 0.001;
    std::optional<std::size_t> limit;
    std::optional<double> threshold_percent;
    double threshold_s = 0.001;
    bool json = false;
    bool lines = false;
    bool latencies = false;
};

constexpr std::size_t usual_limit = 50;  // rows of the table

DifferenceBy difference_by(const DiffArguments& arguments) {
    return arguments.by == "path" ? DifferenceBy::path : DifferenceBy::function;
}

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }
double seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// Everything to be printed, in either format.
struct Difference {
    ComparedPair pair;
    std::vector<DifferenceRow> rows;  // above the least time
    std::size_t shown = 0;            // of these rows
    std::size_t shown_filtered = 0;   // of pair.filtered_in_one
    std::size_t left_out = 0;         // rows below the least time
    std::size_t slower = 0;           // rows
    bool runtime_is_slower = false;
    std::vector<MetricDifference> metrics;
    std::vector<LineDifference> lines;
    std::vector<LatencyDifference> latencies;
    std::vector<std::string> notes;
};

bool is_slower_row(const DifferenceRow& row, const DiffArguments& arguments) {
    return arguments.threshold_percent &&
           is_slower(row.most_alike_ns(), row.b.exclusive_ns,
                     {*arguments.threshold_percent, nanoseconds(arguments.threshold_s)});
}

// "n = 1000 and 2000, tol = 1e-06 and not given"
std::string parameter_differences(const ComparedProfile& a, const ComparedProfile& b) {
    const auto value = [](const ComparedProfile& profile, const std::string& name) {
        const RunParameter* parameter = find_parameter(profile.parameters, name);
        return parameter ? number_text(parameter->value) : "not given";
    };
    std::string text;
    for (const std::string& name : different_parameters(a.parameters, b.parameters))
        text += fmt::format("{}{} = {} and {}", text.empty() ? "" : ", ", printable(name),
                            value(a, name), value(b, name));
    return text;
}

std::vector<std::string> notes_of(const ComparedPair& pair) {
    const auto& [a, b, filtered] = pair;
    std::vector<std::string> notes;
    if (!a.application.empty() && !b.application.empty() && a.application != b.application)
        notes.push_back(
            fmt::format("The programs differ: {} and {}.", a.application, b.application));
    if (a.ranks != b.ranks)
        notes.push_back(fmt::format("The numbers of ranks differ: {} and {}. Calls and times are "
                                    "sums over all ranks.",
                                    a.ranks, b.ranks));
    if (a.threads != b.threads)
        notes.push_back(fmt::format("The numbers of threads differ: {} and {}. Calls and times are "
                                    "sums over all threads.",
                                    a.threads, b.threads));
    if (!a.from_log && !b.from_log && a.parameters != b.parameters)
        notes.push_back(fmt::format("The parameters differ: {}.", parameter_differences(a, b)));
    if (filtered.size() == 1)
        notes.push_back("1 function was measured in only one of the runs (see below); in both "
                        "columns its time is part of its callers'.");
    else if (!filtered.empty())
        notes.push_back(fmt::format("{} functions were measured in only one of the runs (see "
                                    "below); in both columns their time is part of their "
                                    "callers'.",
                                    filtered.size()));
    if (a.from_log || b.from_log)
        notes.push_back("Times of text logs are rounded to 0.001 s.");
    return notes;
}

// The part of B's run time that is the cost of hooks that were removed in A.
std::int64_t cost_in_b_only(const ComparedPair& pair) {
    std::int64_t cost = 0;
    for (const FilteredInOne& function : pair.filtered_in_one)
        if (function.in_a)
            add_saturating(cost, std::max<std::int64_t>(function.b.overhead_ns, 0));
    return std::min(cost / std::max<std::uint32_t>(pair.b.ranks, 1), pair.b.runtime_ns);
}

Difference difference_of(const DiffArguments& arguments) {
    Difference result;
    result.pair = read_compared_pair(arguments.file_a, arguments.file_b);
    const auto& [a, b, filtered] = result.pair;
    result.rows = profile_difference(result.pair, difference_by(arguments));
    result.metrics = metric_differences(result.pair, difference_by(arguments));
    const std::size_t all = result.rows.size();
    const std::int64_t least_ns = nanoseconds(arguments.min_time_s);
    if (arguments.lines)
        result.lines =
            line_differences(arguments.file_a, arguments.file_b, static_cast<double>(least_ns));
    if (arguments.latencies)
        result.latencies = latency_differences(arguments.file_a, arguments.file_b);
    std::erase_if(result.rows, [&](const DifferenceRow& row) {
        return std::max(row.a.exclusive_ns, row.b.exclusive_ns) < least_ns;
    });
    result.left_out = all - result.rows.size();
    const std::size_t limit = arguments.limit.value_or(
        arguments.json ? std::numeric_limits<std::size_t>::max() : usual_limit);
    result.shown = std::min(result.rows.size(), limit);
    // Rows that decide the exit status are always shown.
    const auto hidden = result.rows.begin() + static_cast<std::ptrdiff_t>(result.shown);
    const auto still_hidden =
        std::stable_partition(hidden, result.rows.end(), [&](const DifferenceRow& row) {
            return is_slower_row(row, arguments);
        });
    result.shown += static_cast<std::size_t>(still_hidden - hidden);
    result.shown_filtered = std::min(filtered.size(), limit);
    for (const DifferenceRow& row : result.rows)
        result.slower += is_slower_row(row, arguments);
    result.runtime_is_slower =
        arguments.threshold_percent &&
        is_slower(a.runtime_ns, b.runtime_ns - cost_in_b_only(result.pair),
                  {*arguments.threshold_percent, nanoseconds(arguments.threshold_s)});
    result.notes = notes_of(result.pair);
    return result;
}

// "+12.5 %", or a word if there is no such number.
std::string percent_text(double a, double b) {
    const double percent = percent_more(a, b);
    return std::isinf(percent) ? "new" : fmt::format("{:+.1f} %", percent);
}

const char* mark_of(const DifferenceRow& row, const DiffArguments& arguments) {
    if (!row.a.present)
        return is_slower_row(row, arguments) ? "new, slower" : "new";
    if (!row.b.present)
        return "gone";
    return is_slower_row(row, arguments) ? "slower" : "";
}

void report_more_rows(std::size_t rows, OutputFile& out) {
    if (rows > 0)
        out.write(fmt::format("({} more row{})\n", rows, plural_s(rows)));
}

// The cell stays empty if the profile does not have the row.
void number_if(bool present, double value, TableRow& row) {
    present ? row.number(value) : row.blank();
}

void print_rows(const Difference& difference, const DiffArguments& arguments, OutputFile& out) {
    const bool by_path = arguments.by == "path";
    const Column columns[] = {count_column("calls_a", "Calls A"),
                              count_column("calls_b", "Calls B"),
                              time_column("time_excl_a", "t_excl A[s]"),
                              time_column("time_excl_b", "t_excl B[s]"),
                              time_column("time_excl_more", "B-A[s]"),
                              number_column("time_excl_ratio", "B/A", "", 3),
                              time_column("time_incl_a", "t_incl A[s]"),
                              time_column("time_incl_b", "t_incl B[s]"),
                              time_column("time_incl_more", "B-A[s]"),
                              number_column("time_incl_ratio", "B/A", "", 3),
                              text_column("note", "Note"),
                              text_column(by_path ? "callpath" : "function",
                                          by_path ? "Call path" : "Function", Align::left)};
    const TableSpec spec = {
        .id = "diff", .title = "", .row = by_path ? "path" : "function", .columns = columns};
    const auto ratio = [](std::int64_t a, std::int64_t b, TableRow& row) {
        number_if(a > 0, a > 0 ? static_cast<double>(b) / static_cast<double>(a) : 0, row);
    };
    print_table(out, spec, difference.shown, [&](std::size_t i, TableRow& cells) {
        const DifferenceRow& row = difference.rows[i];
        for (const DifferenceFigures* side : {&row.a, &row.b})
            side->present ? cells.integer(side->calls) : cells.blank();
        number_if(row.a.present, seconds(row.a.exclusive_ns), cells);
        number_if(row.b.present, seconds(row.b.exclusive_ns), cells);
        cells.number(seconds(row.exclusive_ns()));
        ratio(row.a.exclusive_ns, row.b.exclusive_ns, cells);
        number_if(row.a.present, seconds(row.a.inclusive_ns), cells);
        number_if(row.b.present, seconds(row.b.inclusive_ns), cells);
        cells.number(seconds(row.inclusive_ns()));
        ratio(row.a.inclusive_ns, row.b.inclusive_ns, cells);
        cells.text(mark_of(row, arguments));
        cells.text(row.text);
    });
}

// "hooks removed in A"
std::string what_happened(const FilteredInOne& function) {
    const char* what = function.reason == FilterReason::excluded ? "excluded"
                       : function.still_called                   ? "only counted"
                                                                 : "hooks removed";
    return fmt::format("{} in {}", what, function.in_a ? "A" : "B");
}

void print_filtered(const Difference& difference, OutputFile& out) {
    const std::vector<FilteredInOne>& functions = difference.pair.filtered_in_one;
    if (functions.empty())
        return;
    const Column columns[] = {count_column("calls_a", "Calls A"),
                              count_column("calls_b", "Calls B"),
                              time_column("time_excl_a", "t_excl A[s]"),
                              time_column("time_excl_b", "t_excl B[s]"),
                              text_column("note", "Note"),
                              text_column("function", "Function", Align::left)};
    const TableSpec spec = {.id = "filtered_in_one",
                            .title = "\nMeasured in only one of the runs",
                            .row = "function",
                            .columns = columns};
    print_table(out, spec, difference.shown_filtered, [&](std::size_t i, TableRow& cells) {
        const FilteredInOne& function = functions[i];
        cells.integer(function.a.calls);
        cells.integer(function.b.calls);
        cells.number(seconds(function.a.exclusive_ns));
        cells.number(seconds(function.b.exclusive_ns));
        cells.text(what_happened(function));
        cells.text(function.function);
    });
    report_more_rows(functions.size() - difference.shown_filtered, out);
}

void print_text(const Difference& difference, const DiffArguments& arguments, OutputFile& out) {
    const auto& [a, b, filtered] = difference.pair;
    out.write(shown("A: {}\nB: {}\n\n", a.file, b.file));
    const double runtime_a = seconds(a.runtime_ns), runtime_b = seconds(b.runtime_ns);
    out.write(fmt::format("Total runtime: {:.3f} s, {:.3f} s: {:+.3f} s ({})\n", runtime_a,
                          runtime_b, runtime_b - runtime_a, percent_text(runtime_a, runtime_b)));
    for (const std::string& note : difference.notes)
        out.write(shown("Note: {}\n", note));
    out.write("\n");
    print_rows(difference, arguments, out);
    report_more_rows(difference.rows.size() - difference.shown, out);
    if (difference.left_out > 0)
        out.write(fmt::format("({} row{} with less than {:g} s of exclusive time in both)\n",
                              difference.left_out, plural_s(difference.left_out),
                              arguments.min_time_s));
    print_filtered(difference, out);
    print_metric_differences(difference.metrics, difference_by(arguments),
                             arguments.limit.value_or(usual_limit), out);
    if (arguments.lines)
        print_line_differences(difference.lines, arguments.limit.value_or(usual_limit), out);
    if (arguments.latencies)
        print_latency_differences(difference.latencies, arguments.limit.value_or(usual_limit), out);
    if (!arguments.threshold_percent)
        return;
    const std::string limit = fmt::format("more than {:g} % and at least {:g} s",
                                          *arguments.threshold_percent, arguments.threshold_s);
    const bool by_path = arguments.by == "path";
    out.write(fmt::format("\nSlower by {}: {} {}{}. The whole run: {}\n", limit, difference.slower,
                          by_path ? "call path" : "function", plural_s(difference.slower),
                          difference.runtime_is_slower ? "slower" : "not slower"));
}

void write_profile(const char* key, const ComparedProfile& profile, JsonWriter& json) {
    json.key(key).begin_object(JsonWriter::Layout::compact);
    json.key("file").string(profile.file);
    json.key("application").string(profile.application);
    json.key("runtime_ns").integer(profile.runtime_ns);
    json.key("ranks").unsigned_integer(profile.ranks);
    json.key("threads").unsigned_integer(profile.threads);
    json.key("from_log").boolean(profile.from_log);
    json.end_object();
}

void write_figures(const char* key, const DifferenceFigures& figures, JsonWriter& json) {
    json.key(key);
    if (!figures.present)
        return json.null();
    json.begin_object(JsonWriter::Layout::compact);
    json.key("calls").unsigned_integer(figures.calls);
    json.key("exclusive_ns").integer(figures.exclusive_ns);
    json.key("inclusive_ns").integer(figures.inclusive_ns);
    json.end_object();
}

void write_filtered_figures(const char* key, const FilteredFigures& figures, JsonWriter& json) {
    json.key(key).begin_object(JsonWriter::Layout::compact);
    json.key("calls").unsigned_integer(figures.calls);
    json.key("exclusive_ns").integer(figures.exclusive_ns);
    json.key("overhead_ns").integer(figures.overhead_ns);
    json.end_object();
}

void write_filtered(const Difference& difference, JsonWriter& json) {
    json.key("filtered_in_one").begin_array();
    for (const FilteredInOne& function : difference.pair.filtered_in_one) {
        json.begin_object(JsonWriter::Layout::compact);
        json.key("function").string(function.function);
        json.key("filtered_in").string(function.in_a ? "a" : "b");
        json.key("reason").string(function.reason == FilterReason::excluded ? "excluded"
                                                                            : "budget");
        json.key("still_called").boolean(function.still_called);
        write_filtered_figures("a", function.a, json);
        write_filtered_figures("b", function.b, json);
        json.end_object();
    }
    json.end_array();
}

void print_json(const Difference& difference, const DiffArguments& arguments, OutputFile& out) {
    JsonWriter json(out);
    json.begin_object();
    json.key("format").string("vftrace-difference");
    json.key("version").integer(1);
    write_profile("a", difference.pair.a, json);
    write_profile("b", difference.pair.b, json);
    json.key("by").string(arguments.by);
    json.key("notes").begin_array();
    for (const std::string& note : difference.notes)
        json.string(note);
    json.end_array();
    if (arguments.threshold_percent) {
        json.key("slower").unsigned_integer(difference.slower);
        json.key("runtime_is_slower").boolean(difference.runtime_is_slower);
    }
    json.key("rows_left_out")
        .unsigned_integer(difference.left_out + difference.rows.size() - difference.shown);
    write_filtered(difference, json);
    json.key("rows").begin_array();
    for (std::size_t i = 0; i < difference.shown; i++) {
        const DifferenceRow& row = difference.rows[i];
        json.begin_object(JsonWriter::Layout::compact);
        json.key(arguments.by == "path" ? "path" : "function").string(row.text);
        write_figures("a", row.a, json);
        write_figures("b", row.b, json);
        json.key("exclusive_difference_ns").integer(row.exclusive_ns());
        json.key("inclusive_difference_ns").integer(row.inclusive_ns());
        if (arguments.threshold_percent)
            json.key("slower").boolean(is_slower_row(row, arguments));
        json.end_object();
    }
    json.end_array();
    write_metric_differences(difference.metrics, difference_by(arguments), json);
    if (arguments.lines)
        write_line_differences(difference.lines, json);
    if (arguments.latencies)
        write_latency_differences(difference.latencies, json);
    json.end_object();
    out.write("\n");
}

int diff(const DiffArguments& arguments) {
    const Difference difference = difference_of(arguments);
    OutputFile out(STDOUT_FILENO);
    if (arguments.json)
        print_json(difference, arguments, out);
    else
        print_text(difference, arguments, out);
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
    return difference.slower > 0 || difference.runtime_is_slower ? status_found_errors : status_ok;
}

constexpr NumberCheck amount{"a number from 0 to 1e9", 0, 1e9};

constexpr const char* examples = R"(Examples:
  vftrace diff before/heat_all.json after/heat_all.json
  vftrace diff --by path --limit 20 before.json after.json
  vftrace diff --threshold 10 --threshold-seconds 0.1 reference.json new.json

Exit status: 0; 1 if --threshold is given and something is slower by more than that; 2 if a
file cannot be read or an argument is wrong.)";

}  // namespace

void add_diff_command(const Command& app, int& status) {
    const Command command = app.add_subcommand("diff", "Compare the profiles of two runs");
    auto arguments = std::make_shared<DiffArguments>();
    command.add_option("A", arguments->file_a, "Profile (JSON) or text log of the first run")
        .required()
        .type_name("");
    command.add_option("B", arguments->file_b, "Profile (JSON) or text log of the second run")
        .required()
        .type_name("");
    command.add_option("--by", arguments->by, "One row per function or per call path")
        .one_of({"function", "path"})
        .type_name("WHAT")
        .show_default();
    command
        .add_option("--min-time", arguments->min_time_s,
                    "Leave out rows with less exclusive time than this in both runs")
        .check(amount)
        .type_name("SECONDS")
        .show_default();
    command
        .add_option("--limit", arguments->limit,
                    fmt::format("Print only this number of rows (default: {}; with --json all)",
                                usual_limit))
        .check(number_of_rows)
        .type_name("ROWS");
    const Option threshold =
        command
            .add_option("--threshold", arguments->threshold_percent,
                        "End with exit status 1 if the run time, or the exclusive time of a row, "
                        "has grown by more than this percentage")
            .check(amount)
            .type_name("PERCENT");
    command
        .add_option("--threshold-seconds", arguments->threshold_s,
                    "With --threshold: ignore growth of less than this time")
        .check(amount)
        .type_name("SECONDS")
        .needs(threshold)
        .show_default();
    command.add_flag("--lines", arguments->lines,
                     "Also compare source lines, by the samples that were taken in their code");
    command.add_flag("--latencies", arguments->latencies,
                     "Also compare how long calls took: the percentiles of each function");
    command.add_flag("--json", arguments->json, "Print JSON instead of a table");
    command.footer(examples);
    command.callback([arguments, &status] { status = diff(*arguments); });
}

}  // namespace vftrace::tools
