// vftrace report: prints the tables of a log again, from the JSON file of a profile, or turns it
// into a page for browsers.
#include <algorithm>
#include <iterator>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/shell_word.hpp"
#include "base/utf8.hpp"
#include "brief/brief.hpp"
#include "brief/brief_difference.hpp"
#include "code/code_tables.hpp"
#include "code/line_table.hpp"
#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/export_source.hpp"
#include "commands/profile_file.hpp"
#include "commands/report_arguments.hpp"
#include "commands/report_page.hpp"
#include "commands/table_printing.hpp"
#include "commands/terminal.hpp"
#include "commands/waits_of_traces.hpp"
#include "dependences/analysis_reader.hpp"
#include "dependences/loop_parameters.hpp"
#include "profile/annotations.hpp"
#include "report/efficiency_tables.hpp"
#include "report/finding_text.hpp"
#include "report/first_screen.hpp"
#include "report/rows.hpp"
#include "report/text_log.hpp"
#include "report/views.hpp"
#include "waits/run_traces.hpp"

namespace vftrace::tools {
namespace {

// The part that people read first; --all prints everything.
constexpr std::size_t rows_for_a_person = 20;

ReportOptions report_options_of(const ReportArguments& arguments) {
    const bool grouped = arguments.group == "name";
    const SortOrder sort{column_named<SortColumn>(arguments.sort).value(), arguments.ascending};
    if (grouped && (arguments.callpath || arguments.overhead || arguments.energy ||
                    arguments.waited || arguments.imbalances))
        throw CommandError("--callpath, --overhead, --energy, --waited and --imbalances cannot be "
                           "used with --group name");
    if (grouped && sort.column == SortColumn::overhead)
        throw CommandError("a profile grouped by name does not have an overhead to sort by");

    ReportOptions options;
    options.profile_file = shell_word(arguments.files.front());
    options.show_table = !grouped;
    options.show_name_groups = grouped;
    options.sort = options.name_group_sort = sort;
    options.show_callpath = arguments.callpath;
    options.show_overhead = arguments.overhead;
    options.show_energy = arguments.energy;
    options.show_waiting = arguments.waited;
    options.show_imbalances = arguments.imbalances;
    options.show_minmax = arguments.minmax;
    options.show_communication_callpath = arguments.callpath;
    options.show_communication_time = true;
    options.sort_communication_by_time = arguments.sort_messages.empty();
    options.communication_sort = {
        column_named<MessageColumn>(arguments.sort_messages).value_or(MessageColumn::comm_time),
        arguments.ascending};
    options.task_sort = {column_named<TaskColumn>(arguments.sort_tasks).value(),
                         arguments.ascending};
    options.show_task_tree = arguments.callpath;
    options.sections = arguments.sections;
    options.show_stacklist = arguments.stacks;
    options.print_config = false;
    options.max_rows = arguments.limit;
    options.rows_by_default = rows_for_a_person;
    if (arguments.full_names)
        options.max_name_width = std::string::npos;

    return options;
}

// Shows everything available, whatever the log of the run has shown.
void show_everything(ReportOptions& options) {
    options.show_communication = options.show_rank_table = true;
    options.show_openacc_details = true;
    options.show_observables = options.show_counters = options.show_counter_summary = true;
    options.sections.level = last_section_level;
    options.sections.branch = true;
    options.sections.heaviest = no_limit;
    options.show_task_tree = true;
    options.show_everything = true;
}

// Not one of the views, because it needs the files of the program.
void write_lines(const ReportArguments& arguments, const Profile& profile,
                 const ReportOptions& options, TableOutput& out) {
    if (profile.addresses.empty())
        throw CommandError(no_addresses);
    write_line_table(profile, SampledLines(profile, SourceMap(arguments.source_map)), options, out);
}

void write_loops(const ReportArguments& arguments, const Profile& profile,
                 const ReportOptions& options, TableOutput& out) {
    constexpr double least_share = 0.005;
    if (profile.addresses.empty())
        throw CommandError(no_addresses);
    if (!can_decode_instructions())
        throw CommandError(no_decoder);
    const SourceMap map(arguments.source_map);
    const SampledLines lines(profile, map);
    SourceFiles sources(profile.run.start_unix_ns);
    const AnnotatedFunctions found =
        annotate_functions(profile, lines, map, sources, "", least_share);
    ParametersOfLoop parameters;
    if (!arguments.parameters.empty())
        parameters = [of = LoopParameters(read_parameter_analysis(arguments.parameters))](
                         const SourceLoop& loop) {
            return of.of(loop.file, loop.line, loop.function);
        };
    write_loop_table(found.functions, lines.total_ns(), options, out, parameters);
    say_what_lines_are_missing(found.problems, out);
    say_what_lines_are_missing(lines.problems(), out);
}

void write_view(const OptionOfView& option, const Profile& profile, const PathText& text,
                const ReportOptions& options, TableOutput& out) {
    bool exists = false;
    for (const View& view : views())
        if (view.option == option.name)
            exists |= view.exists(profile);
    if (!exists && option.absent)
        throw CommandError(option.absent);
    for (const View& view : views())
        if (view.option == option.name && (view.exists(profile) || !option.absent))
            view.write(profile, text, options, LogScope::summary, out);
}

void write_all_views(const Profile& profile, const PathText& text, const ReportOptions& options,
                     TableOutput& out) {
    for (const View& view : views())
        if (view.exists(profile))
            view.write(profile, text, options, LogScope::summary, out);
}

// The options that show more of this profile, in lines of 100 columns.
void write_what_else_there_is(const ReportArguments& arguments, const Profile& profile,
                              const ReportOptions& shown, TableOutput& out) {
    constexpr std::size_t line_width = 100;
    std::vector<std::string_view> options;
    if (!arguments.all && arguments.limit == 0)
        options.push_back("--all (all rows)");
    if (arguments.group.empty()) {
        options.push_back("--group name");
        if (!arguments.callpath)
            options.push_back("--callpath");
    }
    options.push_back("--html");
    std::vector<std::string> of_views;
    for (const OptionOfView& option : options_of_views)
        if (option.name != std::string_view("findings") &&  // findings are at the top
            std::any_of(views().begin(), views().end(), [&](const View& view) {
                return view.option == option.name && view.exists(profile) &&
                       !view.is_in_log(profile, shown, LogScope::summary);
            }))
            of_views.push_back(fmt::format("--{}", option.name));
    if (!profile.addresses.empty()) {
        of_views.push_back("--lines");
        of_views.push_back("--loops");
        if (!arguments.inlines)
            of_views.push_back("--inlines");
    }
    options.insert(options.end(), of_views.begin(), of_views.end());
    std::string line = "More of this profile:";
    for (std::size_t i = 0; i < options.size(); i++) {
        const std::string word =
            fmt::format(" {}{}", options[i], i + 1 < options.size() ? "," : "");
        if (line.size() + word.size() > line_width) {
            out.write(line + '\n');
            line = "   ";
        }
        line += word;
    }
    out.write(line + '\n');
    if (const std::string interfaces = annotated_interfaces(profile); !interfaces.empty())
        out.write(fmt::format("Regions of {}: --regions\n", interfaces));
}

void write_report(const ReportArguments& arguments, const Profile& profile, ReportOptions options,
                  OutputFile& file, TableOutput& out) {
    const PathText text(profile, options.max_name_width, CutNames::where_they_are_alike);
    if (!arguments.tables.empty() || arguments.some_views())
        show_everything(options);
    options.all_rows = options.show_everything || arguments.all || arguments.format != "text";
    if (!arguments.tables.empty())
        return write_tables_named(
            arguments.tables, "profile",
            [&](TableOutput& tables) {
                write_all_views(profile, text, options, tables);
                const std::vector<std::string>& wanted = arguments.tables;
                if (std::find(wanted.begin(), wanted.end(), lines_view) != wanted.end())
                    write_lines(arguments, profile, options, tables);
                if (std::find(wanted.begin(), wanted.end(), loops_view) != wanted.end())
                    write_loops(arguments, profile, options, tables);
            },
            out);
    if (arguments.some_views()) {
        options.sections = arguments.sections;
        options.show_task_tree = arguments.callpath;
        for (std::size_t i = 0; i < std::size(options_of_views); i++)
            if (arguments.views[i]) {
                const OptionOfView& view = options_of_views[i];
                if (view.name == lines_view || view.name == loops_view) {
                    (view.name == lines_view ? write_lines : write_loops)(arguments, profile,
                                                                          options, out);
                    continue;
                }
                const bool over_time = arguments.over_time && view.name == tasks_view;
                write_view(over_time ? tasks_over_time : view, profile, text, options, out);
            }
        return;
    }
    options.communication_ranks = option_of_run(profile, "mpi", "only_for_ranks").value_or("all");
    if (arguments.format == "text") {
        if (!arguments.no_findings) {
            options.hot_lines =
                hot_lines_of_findings(profile, find_all(profile), SourceMap(arguments.source_map));
            write_first_screen(profile, out);
            write_findings(profile, options, out);
            const std::string command = command_for_waits(arguments.files.front(), profile);
            if (!command.empty())
                out.write(
                    fmt::format("Traces of this run are next to its profile. To see which ranks "
                                "waited for which:\n  {}\n\n",
                                printable(command)));
        }
        options.show_findings = false;
        write_text_log(profile, options, LogScope::summary, file);
        write_what_else_there_is(arguments, profile, options, out);
    } else
        write_log_tables(profile, text, options, LogScope::summary, out);
}

// Waiting according to the traces of the run.
void add_waits(const ReportArguments& arguments, Profile& profile) {
    const WaitAnalysis analysis = analyse_traces(arguments.traces);
    try {
        add_to_profile(analysis, profile);
    } catch (const WaitsError& error) {
        throw CommandError(fmt::format("{}: {}", arguments.files.front(), error.what()));
    }
}

// The efficiencies of several runs, side by side.
void write_scaling(const ReportArguments& arguments, const std::vector<Profile>& profiles,
                   TableOutput& out) {
    std::vector<const Profile*> runs;
    for (const Profile& profile : profiles) {
        const std::string& first = profiles.front().run.application;
        if (profile.run.application != first)
            throw CommandError(fmt::format("{} is from the program \"{}\", {} from \"{}\"",
                                           arguments.files.front(), first,
                                           arguments.files[runs.size()], profile.run.application));
        runs.push_back(&profile);
    }
    write_scaling_tables(runs, arguments.files, arguments.weak ? Scaling::weak : Scaling::strong,
                         out);
}

// The function or path that the user has named.
std::uint32_t one_function(const Profile& profile, const std::string& name) {
    const std::vector<std::uint32_t> functions = functions_named(profile, name);
    if (functions.size() == 1)
        return functions.front();
    constexpr std::size_t most_named = 5;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(functions.size(), most_named); i++)
        names.push_back(printable(profile.functions[functions[i]].display));
    if (names.empty())
        throw CommandError(fmt::format("no function has a name with \"{}\": vftrace report --brief "
                                       "prints those with most time",
                                       printable(name)));
    throw CommandError(fmt::format("{} functions have a name with \"{}\": {}{}", functions.size(),
                                   printable(name), joined(names, ", "),
                                   functions.size() > most_named ? ", ..." : ""));
}

std::uint32_t one_path(const Profile& profile, const std::string& id) {
    const std::vector<std::uint32_t> paths = paths_with_id(profile, id);
    if (paths.size() == 1)
        return paths.front();
    throw CommandError(
        fmt::format("{} call paths have a number that begins with {}: vftrace report "
                    "--function prints the numbers of a function's paths",
                    paths.size(), printable(id)));
}

// The same as text or JSON. `files`: what the text is of.
template <class Facts, class... Files>
void print_brief(const ReportArguments& arguments, int descriptor, const Facts& facts,
                 const Files&... files) {
    OutputFile out(descriptor);
    if (arguments.format == "json")
        write_brief_json(facts, out);
    else
        out.write(brief_text(facts, files...));
    close_output(out);
}

void report_briefly(const ReportArguments& arguments, int descriptor) {
    constexpr std::size_t usual_functions = 10;
    const std::string& file = arguments.files.front();
    const Profile profile = read_profile(file);
    const SourceMap map(arguments.source_map);
    const std::size_t most = arguments.limit > 0 ? arguments.limit : usual_functions;
    if (const std::string& old = arguments.brief_of_difference_to; !old.empty())
        print_brief(arguments, descriptor,
                    brief_difference(read_profile(old), profile, old, file, most), old, file);
    else if (arguments.brief)
        print_brief(arguments, descriptor, brief_of(profile, file, most, map), file);
    else if (!arguments.function.empty())
        print_brief(
            arguments, descriptor,
            brief_of_function(profile, one_function(profile, arguments.function), file, map), file);
    else
        print_brief(arguments, descriptor,
                    brief_of_path(profile, one_path(profile, arguments.path), file, map), file);
}

TextLook look_of(const ReportArguments& arguments, int descriptor) {
    TextLook look;
    look.names_left = true;
    look.styled = wants_color(arguments.color, descriptor);
    if (!arguments.full_names)
        look.most_columns = arguments.width > 0 ? arguments.width : table_columns(descriptor);
    return look;
}

void report(const ReportArguments& arguments, int descriptor) {
    ReportOptions options = report_options_of(arguments);
    options.look = look_of(arguments, descriptor);
    std::vector<Profile> profiles;
    for (const std::string& file : arguments.files)
        profiles.push_back(read_profile(file));
    Profile& profile = profiles.front();
    if (!arguments.traces.empty())
        add_waits(arguments, profile);
    if (arguments.inlines && profile.addresses.empty())
        throw CommandError(no_addresses);
    if (arguments.inlines && !arguments.wants(lines_view))
        profile =
            with_inlined_functions(profile, SampledLines(profile, SourceMap(arguments.source_map)));
    options.efficiency_regions = arguments.efficiency_regions;
    if (!options.efficiency_regions)
        options.efficiency_regions = option_of_run(profile, "efficiency", "regions");
    const auto write = [&](OutputFile& file, TableOutput& tables) {
        if (profiles.size() > 1)
            write_scaling(arguments, profiles, tables);
        else
            write_report(arguments, profile, options, file, tables);
    };
    if (arguments.format == "text" && descriptor == STDOUT_FILENO && isatty(descriptor) &&
        arguments.pager)
        print_in_pager(write, options.look);
    else
        print_in_format(arguments.format, descriptor, write, options.look);
}

}  // namespace

void print_report(const std::string& file, int descriptor) {
    ReportArguments arguments;
    arguments.files = {file};
    report(arguments, descriptor);
}

void add_report_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("report", "Print a profile, or write it as a page for browsers");
    auto arguments = std::make_shared<ReportArguments>();
    const std::vector<Option> options_of_log = add_report_options(command, *arguments);
    command.callback([arguments, command, options_of_log, &status] {
        check_report_arguments(command, options_of_log, *arguments);
        status = status_ok;
        if (arguments->is_brief()) {
            report_briefly(*arguments, STDOUT_FILENO);
        } else if (arguments->html) {
            arguments->page.inlines = arguments->inlines;
            arguments->page.source_map = arguments->source_map;
            write_page(arguments->files, arguments->page);
        } else
            report(*arguments, STDOUT_FILENO);
    });
}

}  // namespace vftrace::tools
