// vftrace filter: functions that are not worth their hooks, for people and for compilers.
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <unistd.h>

#include <fmt/core.h>

#include "base/output_file.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "dependences/analysis_reader.hpp"
#include "filter/filter_formats.hpp"
#include "filter/independent_functions.hpp"
#include "filter/worthless_functions.hpp"
#include "report/text_table.hpp"

namespace vftrace::tools {
namespace {

struct FilterArguments {
    std::string file;        // may be empty if there is an analysis
    std::string parameters;  // an analysis of parameters; empty if none
    std::string format = "table";
    std::string output;  // empty: standard output
    WorthlessLimits limits;
};

double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

void write_independent(const FilterArguments& arguments, const Profile& profile,
                       const std::vector<FunctionCost>& functions, OutputFile& out) {
    const bool has_times = !arguments.file.empty();
    std::vector<Column> columns = {text_column("function", "Function", Align::left)};
    if (has_times)
        columns.insert(columns.begin(),
                       {count_column("calls", "Calls"), time_column("time_excl", "t_excl[s]"),
                        time_column("overhead", "Overhead[s]")});
    const TableSpec spec = {.id = "filter",
                            .title = "Functions that do not depend on any parameter\n",
                            .row = "function",
                            .columns = columns};
    print_table(out, spec, functions.size(), [&](std::size_t i, TableRow& row) {
        const FunctionCost& cost = functions[i];
        if (has_times) {
            row.integer(cost.calls);
            row.number(seconds(cost.exclusive_ns));
            row.number(seconds(cost.overhead_ns));
        }
        row.text(profile.functions[cost.function].display);
    });
}

void write_table(const FilterArguments& arguments, const Profile& profile,
                 const std::vector<FunctionCost>& functions, OutputFile& out) {
    if (!arguments.parameters.empty())
        return write_independent(arguments, profile, functions, out);
    const Column columns[] = {count_column("calls", "Calls"),
                              time_column("time_excl", "t_excl[s]"),
                              time_column("overhead", "Overhead[s]"),
                              number_column("time_per_call", "t_excl per call[ns]", "ns", 1),
                              text_column("taken_out", "Hooks removed"),
                              text_column("function", "Function", Align::left)};
    const TableSpec spec = {.id = "filter",
                            .title = "Functions that cost more to measure than they are worth\n",
                            .row = "function",
                            .columns = columns};
    print_table(out, spec, functions.size(), [&](std::size_t i, TableRow& row) {
        const FunctionCost& cost = functions[i];
        row.integer(cost.calls);
        row.number(seconds(cost.exclusive_ns));
        row.number(seconds(cost.overhead_ns));
        if (cost.calls > 0)
            row.number(static_cast<double>(cost.exclusive_ns) / static_cast<double>(cost.calls));
        else
            row.blank();
        row.text(cost.filtered ? "in the run" : "");
        row.text(profile.functions[cost.function].display);
    });
    std::int64_t overhead = 0;
    for (const FunctionCost& cost : functions)
        overhead += cost.overhead_ns;
    out.write(fmt::format("\nOverhead of these functions: {:.3f} s of {:.3f} s.\n"
                          "To leave them out, see vftrace filter --help.\n",
                          seconds(overhead), seconds(profile.run.overhead_ns())));
}

using WriteFilter = FilterText (*)(const Profile&, const std::vector<std::uint32_t>&);

// The formats other than the table.
constexpr struct {
    const char* name;
    WriteFilter write;
} formats[] = {{"vftrace", filter_pattern},
               {"json", filter_configuration},
               {"gcc", filter_for_gcc},
               {"scorep", filter_for_scorep}};

void write_filter(const FilterArguments& arguments, const Profile& profile,
                  const std::vector<FunctionCost>& functions, OutputFile& out) {
    if (arguments.format == "table")
        return write_table(arguments, profile, functions, out);
    std::vector<std::uint32_t> indices;
    indices.reserve(functions.size());
    for (const FunctionCost& cost : functions)
        indices.push_back(cost.function);
    for (const auto& format : formats)
        if (arguments.format == format.name) {
            const FilterText filter = format.write(profile, indices);
            out.write(filter.text);
            for (const FilterText::Omitted& omitted : filter.omitted)
                remark(fmt::format("{} is not in the filter: {}",
                                   profile.functions[omitted.function].display, omitted.why));
        }
}

void filter(const FilterArguments& arguments) {
    if (arguments.file.empty() && arguments.parameters.empty())
        throw UsageError("filter: no profile given");
    Profile profile;
    std::vector<FunctionCost> functions;
    if (arguments.parameters.empty()) {
        profile = read_profile(arguments.file);
        functions = worthless_functions(profile, arguments.limits);
    } else {
        const ParameterAnalysis analysis = read_parameter_analysis(arguments.parameters);
        profile =
            arguments.file.empty() ? profile_of_functions(analysis) : read_profile(arguments.file);
        functions = independent_functions(profile, analysis);
    }
    if (functions.empty()) {
        if (arguments.parameters.empty())
            remark(fmt::format("{}: all functions are worth measuring", arguments.file));
        else
            remark(fmt::format("{}: every function depends on a parameter, or must be kept",
                               arguments.parameters));
        if (arguments.output.empty())
            return;
    }
    const bool to_file = !arguments.output.empty();
    std::optional<OutputFile> out;
    if (to_file)
        out.emplace(arguments.output);
    else
        out.emplace(STDOUT_FILENO);
    if (!functions.empty())
        write_filter(arguments, profile, functions, *out);
    if (const int error = out->close())
        throw CommandError(fmt::format("{}: {}", to_file ? arguments.output : "standard output",
                                       std::strerror(error)));
}

constexpr const char* examples = R"text(Formats:
  table    a readable table (the default)
  vftrace  a regular expression for the option filter.exclude
  json     the same expression as a configuration file
  gcc      a file of options for gcc, g++ and gfortran; clang does not have this option
  scorep   a filter file for Score-P

Examples:
  vftrace filter heat_all.json
  VFTR_FILTER_EXCLUDE="$(vftrace filter -f vftrace heat_all.json)" ./heat 100
  vftrace filter -f gcc -o heat.filter heat_all.json
  vftrace-c++ -O2 @heat.filter -o heat heat.cpp
  vftrace filter --parameters heat.parameters.json -f json -o vftrace.json)text";

}  // namespace

void add_filter_command(const Command& app, int& status) {
    const Command command = app.add_subcommand(
        "filter", "List the functions that cost more to measure than they are worth");
    auto arguments = std::make_shared<FilterArguments>();
    command.add_option("FILE", arguments->file, "Profile, the *_all.json of a run").type_name("");
    const Option parameters =
        command
            .add_option("--parameters", arguments->parameters,
                        "List instead the functions that do not depend on any parameter, "
                        "according to this analysis (*.parameters.json); a profile is not "
                        "needed")
            .type_name("FILE");
    command.add_option("-f,--format", arguments->format, "Format to write")
        .one_of({"table", "vftrace", "json", "gcc", "scorep"})
        .type_name("FORMAT")
        .show_default();
    command
        .add_option("-o,--output", arguments->output, "File to write to instead of standard output")
        .type_name("FILE");
    command
        .add_option("--share", arguments->limits.share,
                    "List functions with at least this overhead, as a fraction of their own time")
        .check(NumberCheck{"a number from 0 to 1e6", 0, 1e6})
        .type_name("PART")
        .excludes(parameters)
        .show_default();
    command
        .add_option(
            "--min-overhead", arguments->limits.min_overhead,
            "Leave out the functions with the smallest overhead, together up to this fraction "
            "of the total time")
        .check(NumberCheck{"a number from 0 to 1", 0, 1})
        .type_name("PART")
        .excludes(parameters)
        .show_default();
    command
        .add_option("--min-calls", arguments->limits.min_calls,
                    "Smallest number of calls of a listed function")
        .type_name("CALLS")
        .excludes(parameters)
        .show_default();
    command.footer(examples);
    command.callback([arguments, &status] {
        filter(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
