// vftrace report: prints the tables of a log again, from the JSON file of a profile.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "config/json_file.hpp"
#include "report/rows.hpp"
#include "report/text_log.hpp"
#include "report/text_table.hpp"
#include "report/views.hpp"
#include "tools/commands.hpp"
#include "tools/profile_file.hpp"
#include "tools/table_formats.hpp"
#include "tools/usage.hpp"

namespace vftrace::tools {
namespace {

constexpr std::string_view tasks_view = "tasks";

// Options that print the views of that name instead of the log.
struct OptionOfView {
    const char *name, *help;
    bool names_functions = true;
    // What to say if the profile has nothing of it; nullptr: an empty table says so.
    const char* absent = nullptr;
};
constexpr OptionOfView options_of_views[] = {
    {"matrix", "Print instead who sent how much to whom", false},
    {"sizes", "Print instead how many messages had which size", false},
    {"threads", "Print instead all threads"},
    {"openmp", "Print instead the parallel regions of OpenMP"},
    {"cuda", "Print instead what CUDA was called for and what GPUs did", true,
     "this run did not use CUDA"},
    {"offload", "Print instead what constructs of OpenACC and OpenMP had devices do", true,
     "this run used neither OpenACC nor OpenMP for devices"},
    {"hwprof", "Print instead the hardware counters and what is computed from them", true,
     "no hardware counters were read in this run"},
    {"sections", "Print instead the sections of the program", true, "this program has no sections"},
    {"tasks", "Print instead the types of asynchronous tasks", true,
     "this program has told of no tasks"},
    {"regions", "Print instead the regions by host; with --sections: as sections of level 1", true,
     "this run has no report of regions (see the option region_report.active)"}};
// With --over-time in place of the types as a whole.
constexpr OptionOfView tasks_over_time = {"tasks --over-time", "", true,
                                          "this run has no snapshots of tasks"};

struct ReportArguments {
    std::string file;
    std::string sort = "time_excl";
    bool ascending = false;
    std::string group;
    bool callpath = false;
    bool overhead = false;
    bool energy = false;
    bool imbalances = false;
    bool minmax = false;
    std::string sort_messages = "stack_id";
    std::string sort_tasks = "own";
    std::array<bool, std::size(options_of_views)> views{};
    SectionReport sections;
    bool over_time = false;
    bool stacks = false;
    std::size_t limit = 0;
    bool full_names = false;

    std::vector<std::string> tables;
    std::string format = "text";

    // With --sections --regions is about these, and no view.
    void read_regions() {
        for (std::size_t i = 0; i < std::size(options_of_views); i++)
            if (options_of_views[i].name == std::string_view("regions") && wants("sections"))
                sections.regions = std::exchange(views[i], false);
    }
    // Some views alone are printed, instead of the log.
    bool some_views() const { return std::find(views.begin(), views.end(), true) != views.end(); }
    bool wants(std::string_view view) const {
        for (std::size_t i = 0; i < views.size(); i++)
            if (view == options_of_views[i].name)
                return views[i];
        return false;
    }
};

// The option mpi.only_for_ranks that the run had.
std::string ranks_with_messages(const Profile& profile) {
    std::size_t error_position = 0;
    const JsonTree config = parse_json(profile.run.config_text, &error_position);
    const cJSON* mpi = cJSON_GetObjectItemCaseSensitive(config.get(), "mpi");
    const cJSON* ranks = cJSON_GetObjectItemCaseSensitive(mpi, "only_for_ranks");
    return cJSON_IsString(ranks) ? ranks->valuestring : "all";
}

ReportOptions report_options_of(const ReportArguments& arguments) {
    const bool grouped = arguments.group == "name";
    const SortOrder sort{column_named<SortColumn>(arguments.sort).value(), arguments.ascending};
    if (grouped &&
        (arguments.callpath || arguments.overhead || arguments.energy || arguments.imbalances))
        throw CommandError(
            "--callpath, --overhead, --energy and --imbalances have no meaning with --group name");
    if (grouped && sort.column == SortColumn::overhead)
        throw CommandError("a profile that is grouped by name has no overhead to sort by");

    ReportOptions options;
    options.show_table = !grouped;
    options.show_name_groups = grouped;
    options.sort = options.name_group_sort = sort;
    options.show_callpath = arguments.callpath;
    options.show_overhead = arguments.overhead;
    options.show_energy = arguments.energy;
    options.show_imbalances = arguments.imbalances;
    options.show_minmax = arguments.minmax;
    options.show_communication_callpath = arguments.callpath;
    options.communication_sort = {column_named<MessageColumn>(arguments.sort_messages).value(),
                                  arguments.ascending};
    options.task_sort = {column_named<TaskColumn>(arguments.sort_tasks).value(),
                         arguments.ascending};
    options.show_task_tree = arguments.callpath;
    options.sections = arguments.sections;
    options.show_stacklist = arguments.stacks;
    options.print_config = false;
    options.max_rows = arguments.limit;
    if (arguments.full_names)
        options.max_name_width = std::string::npos;

    return options;
}

// All that there is of what was asked for, whatever the log of the run has shown.
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

// The tables of these ids, of all that the profile has. Returns the ids of the latter.
std::vector<std::string> write_selected(const std::vector<std::string>& ids, const Profile& profile,
                                        const PathText& text, const ReportOptions& options,
                                        TableOutput& out) {
    SelectedTables selected(ids, out);
    for (const View& view : views())
        if (view.exists(profile))
            view.write(profile, text, options, LogScope::summary, selected);
    return selected.seen();
}

void write_tables(const std::vector<std::string>& ids, const Profile& profile, const PathText& text,
                  const ReportOptions& options, TableOutput& out) {
    // First of all, so that nothing is printed before an error.
    const std::vector<std::string> known = write_selected({}, profile, text, options, out);
    for (const std::string& id : ids)
        if (std::find(known.begin(), known.end(), id) == known.end())
            throw CommandError(fmt::format("this profile has no table \"{}\"; it has {}", id,
                                           fmt::join(known, ", ")));
    write_selected(ids, profile, text, options, out);
}

void write_report(const ReportArguments& arguments, const Profile& profile, ReportOptions options,
                  OutputFile& file, TableOutput& out) {
    const PathText text(profile, options.max_name_width);
    if (!arguments.tables.empty() || arguments.some_views())
        show_everything(options);
    options.all_rows = options.show_everything || arguments.format != "text";
    if (!arguments.tables.empty())
        return write_tables(arguments.tables, profile, text, options, out);
    if (arguments.some_views()) {
        options.sections = arguments.sections;
        options.show_task_tree = arguments.callpath;
        for (std::size_t i = 0; i < std::size(options_of_views); i++)
            if (arguments.views[i]) {
                const OptionOfView& view = options_of_views[i];
                const bool over_time = arguments.over_time && view.name == tasks_view;
                write_view(over_time ? tasks_over_time : view, profile, text, options, out);
            }
        return;
    }
    options.communication_ranks = ranks_with_messages(profile);
    if (arguments.format == "text")
        write_text_log(profile, options, LogScope::summary, file);
    else
        write_log_tables(profile, text, options, LogScope::summary, out);
}

void report(const ReportArguments& arguments, int descriptor) {
    const ReportOptions options = report_options_of(arguments);
    const Profile profile = read_profile(arguments.file);
    OutputFile out(descriptor);
    if (arguments.format == "json") {
        JsonTables tables(out);
        write_report(arguments, profile, options, out, tables);
        tables.end();
    } else if (arguments.format == "csv") {
        CsvTables tables(out);
        write_report(arguments, profile, options, out, tables);
    } else {
        out.leave_out_trailing_blanks();  // which the lists of logs have, as those of Vftrace 2.0
        TextTables tables(out);
        write_report(arguments, profile, options, out, tables);
    }
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
}

void reject_meaningless(const ReportArguments& arguments,
                        const std::vector<CLI::Option*>& options_of_log) {
    if (arguments.over_time && !arguments.wants(tasks_view))
        throw CommandError("--over-time has no meaning without --tasks");
    if (!arguments.some_views())
        return;
    if (arguments.sort_tasks != ReportArguments().sort_tasks && !arguments.wants(tasks_view))
        throw CommandError("--sort-tasks has no meaning without --tasks here");
    std::vector<std::string> names;
    bool names_functions = false;
    for (std::size_t i = 0; i < std::size(options_of_views); i++) {
        names.push_back(fmt::format("--{}", options_of_views[i].name));
        names_functions |= arguments.views[i] && options_of_views[i].names_functions;
    }
    const auto reject = [&](std::string_view option) {
        throw CommandError(fmt::format("{} has no meaning with {} and {}", option,
                                       fmt::join(names.begin(), names.end() - 1, ", "),
                                       names.back()));
    };
    if (!arguments.tables.empty())
        reject("--table");
    for (const CLI::Option* option : options_of_log) {
        const std::string name = option->get_name();
        const bool is_for_tasks = name == "--callpath" || name == "--ascending";
        if (option->count() == 0)
            continue;
        if (is_for_tasks && arguments.over_time)
            throw CommandError(fmt::format("{} has no meaning with --over-time", name));
        if (!is_for_tasks || !arguments.wants(tasks_view))
            reject(name);
    }
    if (arguments.full_names && !names_functions)
        throw CommandError("--full-names has no meaning with --matrix and --sizes");
}

}  // namespace

void print_report(const std::string& file, int descriptor) {
    ReportArguments arguments;
    arguments.file = file;
    report(arguments, descriptor);
}

void add_report_command(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("report", "Print the tables of a profile");
    auto arguments = std::make_shared<ReportArguments>();
    command->add_option("FILE", arguments->file, "Profile, the *_all.json of a run")
        ->required()
        ->type_name("");
    // These say how the tables of the log look.
    const std::vector<CLI::Option*> table_options{
        command->add_option("--sort", arguments->sort, "Column to sort by")
            ->check(CLI::IsMember(column_choices<SortColumn>()))
            ->type_name("COLUMN")
            ->capture_default_str(),
        command
            ->add_option("--sort-messages", arguments->sort_messages,
                         "Column to sort the communication profile by")
            ->check(CLI::IsMember(column_choices<MessageColumn>()))
            ->type_name("COLUMN")
            ->capture_default_str(),
        command->add_flag("--ascending", arguments->ascending,
                          "Sort from small to large, tasks too"),
        command->add_option("--group", arguments->group, "One row for each function name")
            ->check(CLI::IsMember({"name"}))
            ->type_name("WHAT"),
        command->add_flag("--callpath", arguments->callpath,
                          "Add a column with the call path; of tasks the tree"),
        command->add_flag("--overhead", arguments->overhead,
                          "Add a column with the estimated cost of measuring"),
        command->add_flag("--energy", arguments->energy,
                          "Add columns with the estimated energy of call paths"),
        command->add_flag("--imbalances", arguments->imbalances,
                          "Add columns with the imbalance of the time over ranks"),
        command->add_flag("--minmax", arguments->minmax,
                          "Add the table of the longest and shortest times over ranks"),
        command->add_flag("--stacks", arguments->stacks, "Add the list of all call stacks")};
    command->add_flag("--full-names", arguments->full_names, "Do not shorten long names");
    for (std::size_t i = 0; i < std::size(options_of_views); i++) {
        const OptionOfView& option = options_of_views[i];
        command->add_flag(fmt::format("--{}", option.name), arguments->views[i], option.help);
    }
    command
        ->add_option("--level", arguments->sections.level,
                     "Show sections down to this level, 0 to 6")
        ->check(CLI::Range(0, int{last_section_level}))
        ->type_name("LEVEL")
        ->capture_default_str();
    command
        ->add_option("--heaviest", arguments->sections.heaviest,
                     "Add a table of the N sections that take most time themselves")
        ->check(number_of_rows)
        ->type_name("ROWS");
    command->add_flag("--branch", arguments->sections.branch,
                      "Add the heaviest branch of sections");
    command->add_option("--sort-tasks", arguments->sort_tasks, "Column to sort types of tasks by")
        ->check(CLI::IsMember(column_choices<TaskColumn>()))
        ->type_name("COLUMN")
        ->capture_default_str();
    command->add_flag("--over-time", arguments->over_time,
                      "With --tasks: show which tasks took the time between snapshots");
    command
        ->add_option("--table", arguments->tables,
                     "Print instead the table of this id; may be repeated")
        ->allow_extra_args(false)
        ->type_name("ID");
    command->add_option("--format", arguments->format, "How tables are written")
        ->check(CLI::IsMember({"text", "csv", "json"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    command->add_option("--limit", arguments->limit, "Print only the first rows of a table")
        ->check(number_of_rows)
        ->type_name("ROWS");
    command->callback([arguments, table_options, &status] {
        arguments->read_regions();
        reject_meaningless(*arguments, table_options);
        report(*arguments, STDOUT_FILENO);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
