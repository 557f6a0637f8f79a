#include "commands/report_arguments.hpp"

#include <algorithm>
#include <filesystem>
#include <regex.h>
#include <span>

#include <fmt/core.h>

#include "base/text.hpp"
#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/export_source.hpp"
#include "config/sort_columns.hpp"

namespace vftrace::tools {
namespace {

constexpr NumberCheck number_of_columns{"a number of columns (40 or more)", 40, 1e6};

// Like the patterns among the library's options.
std::string error_in_expression(const std::string& text) {
    regex_t compiled;
    const int error = regcomp(&compiled, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) {
        regfree(&compiled);
        return {};
    }
    char why[256];
    regerror(error, &compiled, why, sizeof why);
    return fmt::format("{} is not a regular expression: {}", text, why);
}

void sort_files(ReportArguments& arguments) {
    if (arguments.files.size() < 2)
        return;
    std::vector<std::string> profiles;
    for (const std::string& file : arguments.files)
        (is_profile(file) || !std::filesystem::exists(file) ? profiles : arguments.traces)
            .push_back(file);
    if (profiles.empty())
        throw CommandError(fmt::format("a report needs a profile (*_all.json), to which traces "
                                       "may be added; {} is a trace",
                                       arguments.files.front()));
    arguments.files = std::move(profiles);
}

void reject_meaningless(const ReportArguments& arguments,
                        const std::vector<Option>& options_of_log) {
    if (arguments.files.size() > 1 && !arguments.traces.empty())
        throw CommandError("traces can be added only to one profile, that of their run");
    const bool is_about_efficiency = arguments.wants("efficiency");
    const bool shows_efficiency_alone =
        is_about_efficiency &&
        std::count(arguments.views.begin(), arguments.views.end(), true) == 1;
    if (arguments.files.size() > 1 && !shows_efficiency_alone)
        throw CommandError("several files can be compared only with --efficiency; see also "
                           "vftrace diff and vftrace merge");
    if (arguments.width > 0 && arguments.format != "text")
        throw CommandError(
            fmt::format("--width cannot be used with --format {}", arguments.format));
    if (arguments.weak && arguments.files.size() < 2)
        throw CommandError("--weak needs several files");
    if (arguments.efficiency_regions && arguments.files.size() > 1)
        throw CommandError("--efficiency-regions cannot be used with several files");
    if (arguments.no_findings &&
        (arguments.some_views() || !arguments.tables.empty() || arguments.format != "text"))
        throw CommandError("--no-findings can be used only if the log is printed as text");
    const bool reads_code =
        arguments.wants(lines_view) || arguments.wants(loops_view) || arguments.inlines;
    if (!arguments.source_map.empty() && !reads_code)
        throw CommandError("--source-map needs --lines, --loops, --inlines or --html");
    if (!arguments.parameters.empty() && !arguments.wants(loops_view))
        throw CommandError("--parameters needs --loops");
    if (arguments.over_time && !arguments.wants(tasks_view))
        throw CommandError("--over-time needs --tasks");
    if (!arguments.some_views())
        return;
    if (arguments.sort_tasks != ReportArguments().sort_tasks && !arguments.wants(tasks_view))
        throw CommandError("--sort-tasks needs --tasks if other tables are selected");
    std::vector<std::string> names;
    bool names_functions = false;
    for (std::size_t i = 0; i < std::size(options_of_views); i++) {
        names.push_back(fmt::format("--{}", options_of_views[i].name));
        names_functions |= arguments.views[i] && options_of_views[i].names_functions;
    }
    const auto reject = [&](std::string_view option) {
        throw CommandError(fmt::format("{} cannot be used with {} or {}", option,
                                       joined(std::span(names).first(names.size() - 1), ", "),
                                       names.back()));
    };
    if (!arguments.tables.empty())
        reject("--table");
    for (const Option option : options_of_log) {
        const std::string name = option.name();
        const bool is_for_tasks = name == "--callpath" || name == "--ascending";
        if (!option.given())
            continue;
        if (is_for_tasks && arguments.over_time)
            throw CommandError(fmt::format("{} cannot be used with --over-time", name));
        if (!is_for_tasks || !arguments.wants(tasks_view))
            reject(name);
    }
    if (arguments.full_names && !names_functions)
        throw CommandError("--full-names cannot be used with --matrix, --sizes or --process alone");
}

// With --brief, --function and --path, only options about them are accepted.
void reject_options_with_brief(const Command& command, const ReportArguments& arguments) {
    constexpr std::string_view of_brief[] = {"--brief", "--function",   "--path",  "--diff",
                                             "--limit", "--source-map", "--format"};
    const char* const given = arguments.brief               ? "--brief"
                              : !arguments.function.empty() ? "--function"
                                                            : "--path";
    for (const Option option : command.options()) {
        const std::string name = option.name();
        if (option.given() && name.starts_with('-') &&
            std::find(std::begin(of_brief), std::end(of_brief), name) == std::end(of_brief))
            throw CommandError(fmt::format("{} cannot be used with {}", name, given));
    }
    if (arguments.brief + !arguments.function.empty() + !arguments.path.empty() > 1)
        throw CommandError("--brief, --function and --path cannot be used together");
    if (!arguments.brief && !arguments.brief_of_difference_to.empty())
        throw CommandError(fmt::format("--diff cannot be used with {}", given));
    if (arguments.files.size() > 1 || !arguments.traces.empty())
        throw CommandError(fmt::format("{} needs one profile", given));
    if (arguments.format == "csv")
        throw CommandError(fmt::format("{} cannot be used with --format csv", given));
}

// With --html, only options about pages are accepted; without it, these are rejected.
void reject_options_of_page(const Command& command, const ReportArguments& arguments) {
    constexpr std::string_view of_page[] = {"--html", "--output", "--sources", "--anonymous"};
    constexpr std::string_view of_both[] = {"--inlines", "--source-map"};
    for (const Option option : command.options()) {
        const std::string name = option.name();
        if (std::find(std::begin(of_both), std::end(of_both), name) != std::end(of_both))
            continue;
        const bool is_of_page =
            std::find(std::begin(of_page), std::end(of_page), name) != std::end(of_page);
        if (!option.given() || !name.starts_with('-') || name == "--html")
            continue;
        if (arguments.html && !is_of_page)
            throw CommandError(fmt::format("{} cannot be used with --html", name));
        if (!arguments.html && is_of_page)
            throw CommandError(fmt::format("{} needs --html", name));
    }
}

}  // namespace

std::string error_in_source_map(const std::string& text) {
    return SourceMap().add(text) ? std::string() : fmt::format("{} is not OLD=NEW", text);
}

std::vector<Option> add_report_options(const Command& command, ReportArguments& arguments) {
    command
        .add_option(
            "FILE", arguments.files,
            "Profile, the *_all.json of a run, and its traces (*.vfd), from which the report "
            "gets the wait states; several profiles with --efficiency and --html; with --html also "
            "the output of vftrace model --format json")
        .required()
        .type_name("");
    // These options determine how the tables of the log look.
    std::vector<Option> table_options{
        command.add_option("--sort", arguments.sort, "Column to sort by")
            .one_of(column_choices<SortColumn>())
            .type_name("COLUMN")
            .show_default(),
        command
            .add_option("--sort-messages", arguments.sort_messages,
                        "Column to sort the communication profile by (default: the total time)")
            .one_of(column_choices<MessageColumn>())
            .type_name("COLUMN"),
        command.add_flag("--ascending", arguments.ascending,
                         "Sort from small to large; with --tasks, the types of tasks"),
        command.add_option("--group", arguments.group, "One row per function name")
            .one_of({"name"})
            .type_name("WHAT"),
        command.add_flag(
            "--callpath", arguments.callpath,
            "Add a column with the call path; with --tasks, show the types of tasks as a tree"),
        command.add_flag("--overhead", arguments.overhead,
                         "Add a column with the estimated cost of measuring"),
        command.add_flag("--energy", arguments.energy,
                         "Add columns with the estimated energy of call paths"),
        command.add_flag("--waited", arguments.waited,
                         "Add columns with the time in which threads waited, and in which they "
                         "could run but had no processor"),
        command.add_flag("--imbalances", arguments.imbalances,
                         "Add columns with the imbalance of the time across ranks"),
        command.add_flag("--minmax", arguments.minmax,
                         "Add the table of the longest and shortest times across ranks"),
        command.add_flag("--stacks", arguments.stacks, "Add the list of all call stacks"),
        command.add_flag("--inlines", arguments.inlines,
                         "Show inlined functions as call paths below those that they are inlined "
                         "in; also with --html")};
    command
        .add_option(
            "--source-map", arguments.source_map,
            "With --lines, --loops, --inlines and --html: paths that begin with OLD on the machine "
            "of the run begin with NEW here; may be repeated")
        .check(error_in_source_map)
        .one_value()
        .type_name("OLD=NEW");
    command
        .add_option("--parameters", arguments.parameters,
                    "With --loops: show on which parameters each loop depends, by this analysis of "
                    "the program (*.parameters.json)")
        .type_name("ANALYSIS");
    const Option full_names =
        command.add_flag("--full-names", arguments.full_names, "Do not shorten long names");
    command
        .add_option("--width", arguments.width,
                    "Shorten names in the middle to make tables at most this wide, if possible "
                    "(default: the width of the terminal, 100 to 160; otherwise 160)")
        .check(number_of_columns)
        .excludes(full_names)
        .type_name("COLUMNS");
    for (std::size_t i = 0; i < std::size(options_of_views); i++) {
        const OptionOfView& option = options_of_views[i];
        command.add_flag(fmt::format("--{}", option.name), arguments.views[i], option.help);
    }
    command.add_flag("--no-findings", arguments.no_findings, "Leave out the findings");
    command
        .add_option("--efficiency-regions", arguments.efficiency_regions,
                    "Also show the efficiencies of functions and regions that match this regular "
                    "expression (default: the run's option efficiency.regions)")
        .check(error_in_expression)
        .type_name("PATTERN");
    command.add_flag("--weak", arguments.weak,
                     "With --efficiency and several files: each processor has the same work in "
                     "all runs (default: the total work is the same in all runs)");
    command
        .add_option("--level", arguments.sections.level,
                    fmt::format("Show sections down to this level, 0 to {} (default: {})",
                                int{last_section_level}, arguments.sections.level))
        .check(NumberCheck{"a level from 0 to 6", 0, last_section_level})
        .type_name("LEVEL");
    command
        .add_option("--heaviest", arguments.sections.heaviest,
                    "Add a table of this number of sections, those with the most exclusive time")
        .check(number_of_rows)
        .type_name("ROWS");
    command.add_flag("--branch", arguments.sections.branch, "Add the heaviest branch of sections");
    command.add_option("--sort-tasks", arguments.sort_tasks, "Column to sort types of tasks by")
        .one_of(column_choices<TaskColumn>())
        .type_name("COLUMN")
        .show_default();
    command.add_flag("--over-time", arguments.over_time,
                     "With --tasks: show which tasks took the time between snapshots");
    command
        .add_option("--table", arguments.tables,
                    "Print only the table with this id; may be repeated")
        .one_value()
        .type_name("ID");
    command.add_option("--format", arguments.format, "Format of the tables")
        .one_of({"text", "csv", "json"})
        .type_name("FORMAT")
        .show_default();
    const Option limit =
        command
            .add_option("--limit", arguments.limit,
                        "Print only this number of rows of each table (default: 20; all rows of "
                        "tables that an option selects)")
            .check(number_of_rows)
            .type_name("ROWS");
    command.add_flag("--all", arguments.all, "Print all rows of all tables").excludes(limit);
    command
        .add_option("--color", arguments.color,
                    "Use colours and bold type; auto: on terminals, unless NO_COLOR is set")
        .one_of({std::string(color_auto), std::string(color_always), std::string(color_never)})
        .type_name("WHEN")
        .show_default();
    command.add_flag("!--no-pager", arguments.pager,
                     "Do not show long output on terminals in a pager ($PAGER or less)");
    command.add_flag(
        "--html", arguments.html,
        "Write a page for browsers instead; two profiles are compared, more than two show "
        "how the program scales");
    command
        .add_option("-o,--output", arguments.page.output,
                    "With --html: where to write it; - is standard output")
        .type_name("FILE");
    command
        .add_option("--sources", arguments.page.source_folders,
                    "With --html: put the text of the source files that are below this directory "
                    "into the page; may be given several times")
        .type_name("DIR")
        .one_value();
    command.add_flag(
        "--anonymous", arguments.page.anonymous,
        "With --html: leave out names of hosts and directories, arguments, process ids and "
        "the configuration");
    command.add_flag("--brief", arguments.brief,
                     "Print the most important facts only, at most 60 lines, with the commands "
                     "that show more: for scripts and agents, too");
    command
        .add_option("--diff", arguments.brief_of_difference_to,
                    "With --brief: what is different from this profile")
        .type_name("OLD");
    command
        .add_option("--function", arguments.function,
                    "Print the same about one function: callers, callees, lines, ranks")
        .type_name("NAME");
    command
        .add_option("--path", arguments.path,
                    "Print the same about one call path, by its number in --function")
        .type_name("ID");
    return table_options;
}

void check_report_arguments(const Command& command, const std::vector<Option>& options_of_log,
                            ReportArguments& arguments) {
    reject_options_of_page(command, arguments);
    if (arguments.html)
        return;
    arguments.read_regions();
    sort_files(arguments);
    if (arguments.is_brief())
        return reject_options_with_brief(command, arguments);
    reject_meaningless(arguments, options_of_log);
}

}  // namespace vftrace::tools
