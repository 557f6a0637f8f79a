// vftrace report: prints the tables of a log again, from the JSON file of a profile.
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "config/json_file.hpp"
#include "report/counter_tables.hpp"
#include "report/cuda_summary.hpp"
#include "report/gpu_tables.hpp"
#include "report/message_tables.hpp"
#include "report/offload_tables.hpp"
#include "report/text_log.hpp"
#include "report/thread_tables.hpp"
#include "tools/commands.hpp"
#include "tools/profile_file.hpp"
#include "tools/usage.hpp"

namespace vftrace::tools {
namespace {

struct ReportArguments {
    std::string file;
    std::string sort = "time_excl";
    bool ascending = false;
    std::string group;
    bool callpath = false;
    bool overhead = false;
    bool imbalances = false;
    bool minmax = false;
    std::string sort_messages = "stack_id";
    bool matrix = false;
    bool sizes = false;
    bool threads = false;
    bool openmp = false;
    bool cuda = false;
    bool offload = false;
    bool hwprof = false;
    bool stacks = false;
    std::size_t limit = 0;
    bool full_names = false;

    // One or several tables alone are printed, instead of those of the log.
    bool some_tables() const { return matrix || sizes || of_paths(); }
    // Those among them that name functions.
    bool of_paths() const { return threads || openmp || cuda || offload || hwprof; }
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
    if (grouped && (arguments.callpath || arguments.overhead || arguments.imbalances))
        throw CommandError(
            "--callpath, --overhead and --imbalances have no meaning with --group name");
    if (grouped && sort.column == SortColumn::overhead)
        throw CommandError("a profile that is grouped by name has no overhead to sort by");

    ReportOptions options;
    options.show_table = !grouped;
    options.show_name_groups = grouped;
    options.sort = options.name_group_sort = sort;
    options.show_callpath = arguments.callpath;
    options.show_overhead = arguments.overhead;
    options.show_imbalances = arguments.imbalances;
    options.show_minmax = arguments.minmax;
    options.show_communication_callpath = arguments.callpath;
    options.communication_sort = {column_named<MessageColumn>(arguments.sort_messages).value(),
                                  arguments.ascending};
    options.show_stacklist = arguments.stacks;
    options.print_config = false;
    options.max_rows = arguments.limit;
    if (arguments.full_names)
        options.max_name_width = std::string::npos;

    return options;
}

// All that there is of CUDA and GPUs.
void report_gpus(const Profile& profile, const PathText& text, const ReportOptions& options,
                 OutputFile& out) {
    if (!uses_gpus(profile))
        throw CommandError("this run did not use CUDA");
    write_cuda_summary(profile, text, options, LogScope::summary, out);
    write_cuda_ratios(profile, text, options, out);
    write_gpu_tables(profile, text, options, out);
    write_cbid_names(profile, out);
}

// All that there is of constructs that offload.
void report_offload(const Profile& profile, const PathText& text, const ReportOptions& options,
                    OutputFile& out) {
    const bool openacc = uses_offload(profile, ProgrammingModel::openacc),
               openmp = uses_offload(profile, ProgrammingModel::openmp);
    if (!openacc && !openmp)
        throw CommandError("this run used neither OpenACC nor OpenMP for devices");
    if (openacc) {
        write_offload_tables(profile, ProgrammingModel::openacc, text, options, LogScope::summary,
                             true, out);
        write_openacc_event_ids(profile, out);
    }
    if (openmp)
        write_offload_tables(profile, ProgrammingModel::openmp, text, options, LogScope::summary,
                             true, out);
}

// All that there is of hardware counters.
void report_counters(const Profile& profile, const PathText& text, ReportOptions options,
                     OutputFile& out) {
    if (profile.run.counters.empty() && profile.run.observables.empty())
        throw CommandError("no hardware counters were read in this run");
    options.show_counters = options.show_counter_summary = true;
    write_counter_tables(profile, text, options, LogScope::summary, out);
}

void report(const ReportArguments& arguments, int descriptor) {
    ReportOptions options = report_options_of(arguments);
    const Profile profile = read_profile(arguments.file);
    OutputFile out(descriptor);
    out.leave_out_trailing_blanks();  // which the lists of logs have, as those of Vftrace 2.0
    if (arguments.matrix)
        write_communication_matrix(profile, arguments.limit, out);
    if (arguments.sizes)
        write_message_sizes(profile, out);
    if (arguments.of_paths()) {
        const PathText text(profile, options.max_name_width);
        if (arguments.threads)
            write_thread_table(profile, text, arguments.limit, out);
        if (arguments.openmp)
            write_parallel_region_table(profile, text, arguments.limit, out);
        if (arguments.cuda)
            report_gpus(profile, text, options, out);
        if (arguments.offload)
            report_offload(profile, text, options, out);
        if (arguments.hwprof)
            report_counters(profile, text, options, out);
    }
    if (!arguments.some_tables()) {
        options.communication_ranks = ranks_with_messages(profile);
        write_text_log(profile, options, LogScope::summary, out);
    }
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("standard output: {}", std::strerror(error)));
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
        command->add_flag("--ascending", arguments->ascending, "Sort from small to large"),
        command->add_option("--group", arguments->group, "One row for each function name")
            ->check(CLI::IsMember({"name"}))
            ->type_name("WHAT"),
        command->add_flag("--callpath", arguments->callpath, "Add a column with the call path"),
        command->add_flag("--overhead", arguments->overhead,
                          "Add a column with the estimated cost of measuring"),
        command->add_flag("--imbalances", arguments->imbalances,
                          "Add columns with the imbalance of the time over ranks"),
        command->add_flag("--minmax", arguments->minmax,
                          "Add the table of the longest and shortest times over ranks"),
        command->add_flag("--stacks", arguments->stacks, "Add the list of all call stacks")};
    command->add_flag("--full-names", arguments->full_names, "Do not shorten long names");
    command->add_flag("--matrix", arguments->matrix, "Print instead who sent how much to whom");
    command->add_flag("--sizes", arguments->sizes,
                      "Print instead how many messages had which size");
    command->add_flag("--threads", arguments->threads, "Print instead all threads");
    command->add_flag("--openmp", arguments->openmp,
                      "Print instead the parallel regions of OpenMP");
    command->add_flag("--cuda", arguments->cuda,
                      "Print instead what CUDA was called for and what GPUs did");
    command->add_flag("--offload", arguments->offload,
                      "Print instead what constructs of OpenACC and OpenMP had devices do");
    command->add_flag("--hwprof", arguments->hwprof,
                      "Print instead the hardware counters and what is computed from them");
    command->add_option("--limit", arguments->limit, "Print only the first rows of a table")
        ->check(number_of_rows)
        ->type_name("ROWS");
    command->callback([arguments, table_options, &status] {
        for (const CLI::Option* option : table_options)
            if (option->count() > 0 && arguments->some_tables())
                throw CommandError(
                    fmt::format("{} has no meaning with --matrix, --sizes, "
                                "--threads, --openmp, --cuda, --offload and --hwprof",
                                option->get_name()));
        if (arguments->full_names && (arguments->matrix || arguments->sizes) &&
            !arguments->of_paths())
            throw CommandError("--full-names has no meaning with --matrix and --sizes");
        report(*arguments, STDOUT_FILENO);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
