// vftrace analyze: wait states, from the traces of the ranks of a run.
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/profile_file.hpp"
#include "commands/table_printing.hpp"
#include "commands/waits_of_traces.hpp"
#include "report/wait_tables.hpp"

namespace vftrace::tools {
namespace {

struct AnalyzeArguments {
    std::vector<std::string> files;
    std::string into;  // a profile; empty if none
    std::string sort = "time";
    std::string format = "text";
    std::size_t limit = 0;
    bool full_names = false;
};

void print_tables(const AnalyzeArguments& arguments, const Profile& profile) {
    ReportOptions options;
    options.wait_sort = {column_named<WaitColumn>(arguments.sort).value(), false};
    options.max_rows = arguments.limit;
    options.all_rows = arguments.format != "text";
    if (arguments.full_names)
        options.max_name_width = std::string::npos;
    const PathText text(profile, options.max_name_width, CutNames::where_they_are_alike);
    print_in_format(arguments.format, STDOUT_FILENO, [&](OutputFile&, TableOutput& tables) {
        write_wait_tables(profile, text, options, tables);
    });
}

void write_into(const std::string& file, const WaitAnalysis& analysis) {
    Profile profile = read_profile(file);
    try {
        add_to_profile(analysis, profile);
    } catch (const std::runtime_error& error) {
        throw CommandError(fmt::format("{}: {}", file, error.what()));
    }
    write_profile(profile, profile_file(file));
}

void analyze(const AnalyzeArguments& arguments) {
    const WaitAnalysis analysis = analyse_traces(arguments.files);
    if (!arguments.into.empty())
        write_into(arguments.into, analysis);
    print_tables(arguments, analysis.profile);
}

constexpr const char* examples = R"(Examples:
  mpirun -n 4 vftrace run --trace -- ./heat 100
  vftrace analyze heat_*.vfd
  vftrace report heat_all.json heat_*.vfd
  vftrace analyze heat_*.vfd --into heat_all.json)";

}  // namespace

void add_analyze_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("analyze", "Find MPI wait states and the critical path in traces");
    auto arguments = std::make_shared<AnalyzeArguments>();
    command.add_option("FILE", arguments->files, "Traces of the ranks of one run")
        .required()
        .type_name("");
    command
        .add_option("--into", arguments->into,
                    "Add the results to this profile of the run, its *_all.json")
        .type_name("PROFILE");
    command.add_option("--sort", arguments->sort, "Column to sort by")
        .one_of(column_choices<WaitColumn>())
        .type_name("COLUMN")
        .show_default();
    command.add_flag("--full-names", arguments->full_names, "Do not shorten long names");
    command.add_option("--format", arguments->format, "Format of the tables")
        .one_of({"text", "csv", "json"})
        .type_name("FORMAT")
        .show_default();
    command
        .add_option("--limit", arguments->limit,
                    "Print only this number of rows of each table (default: 20)")
        .check(number_of_rows)
        .type_name("ROWS");
    command.footer(examples);
    command.callback([arguments, &status] {
        analyze(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
