// vftrace report: prints the tables of a log again, from the JSON file of a profile.
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "profile/profile_json_reader.hpp"
#include "report/text_log.hpp"
#include "tools/commands.hpp"

namespace vftrace::tools {
namespace {

struct ReportArguments {
    std::string file;
    std::string sort = "time_excl";
    bool ascending = false;
    std::string group;
    bool callpath = false;
    bool overhead = false;
    bool stacks = false;
    std::size_t limit = 0;
    bool full_names = false;
};

// In words: CLI11's own check tells the range of a double in all its digits.
std::string check_limit(const std::string& text) {
    const bool is_number = text.find_first_not_of("0123456789") == std::string::npos;
    return is_number && text.find_first_not_of('0') != std::string::npos
               ? std::string()
               : fmt::format("\"{}\" is no number of rows (1 or more)", text);
}

void report(const ReportArguments& arguments) {
    const bool grouped = arguments.group == "name";
    const SortOrder sort{sort_column(arguments.sort).value(), arguments.ascending};
    if (grouped && (arguments.callpath || arguments.overhead))
        throw CommandError("--callpath and --overhead have no meaning with --group name");
    if (grouped && sort.column == SortColumn::overhead)
        throw CommandError("a profile that is grouped by name has no overhead to sort by");

    ReportOptions options;
    options.show_table = !grouped;
    options.show_name_groups = grouped;
    options.sort = options.name_group_sort = sort;
    options.show_callpath = arguments.callpath;
    options.show_overhead = arguments.overhead;
    options.show_stacklist = arguments.stacks;
    options.print_config = false;
    options.max_rows = arguments.limit;
    if (arguments.full_names)
        options.max_name_width = std::string::npos;

    const Profile profile = read_profile_json(arguments.file);
    OutputFile out(STDOUT_FILENO);
    write_text_log(profile, options, LogScope::summary, out);
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
}

}  // namespace

void add_report_command(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("report", "Print the tables of a profile");
    auto arguments = std::make_shared<ReportArguments>();
    command->add_option("FILE", arguments->file, "Profile, the *_all.json of a run")
        ->required()
        ->type_name("");
    command->add_option("--sort", arguments->sort, "Column to sort by")
        ->check(CLI::IsMember({"time_excl", "time_incl", "calls", "stack_id", "overhead"}))
        ->type_name("COLUMN")
        ->capture_default_str();
    command->add_flag("--ascending", arguments->ascending, "Sort from small to large");
    command->add_option("--group", arguments->group, "One row for each function name")
        ->check(CLI::IsMember({"name"}))
        ->type_name("WHAT");
    command->add_flag("--callpath", arguments->callpath, "Add a column with the call path");
    command->add_flag("--overhead", arguments->overhead,
                      "Add a column with the estimated cost of measuring");
    command->add_flag("--stacks", arguments->stacks, "Add the list of all call stacks");
    command->add_option("--limit", arguments->limit, "Print only the first rows of a table")
        ->check(check_limit)
        ->type_name("ROWS");
    command->add_flag("--full-names", arguments->full_names, "Do not shorten long names");
    command->callback([arguments, &status] {
        report(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
