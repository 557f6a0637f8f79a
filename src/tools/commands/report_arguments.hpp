// The options of vftrace report, and which of them can be combined.
#pragma once

#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/report_page.hpp"
#include "commands/terminal.hpp"
#include "report/report_options.hpp"

namespace vftrace::tools {

constexpr std::string_view tasks_view = "tasks";
constexpr std::string_view lines_view = "lines", loops_view = "loops";

// Options that print the views of the same name instead of the log.
struct OptionOfView {
    const char *name, *help;
    bool names_functions = true;
    // The message if the profile has no data for it; nullptr: an empty table is printed.
    const char* absent = nullptr;
};
constexpr OptionOfView options_of_views[] = {
    {"matrix", "Print only a communication matrix", false},
    {"sizes", "Print only the number of messages by size", false},
    {"threads", "Print only the threads, all of them"},
    {"openmp", "Print only the OpenMP parallel regions"},
    {"waits", "Print only the MPI wait states that the analysis of traces found", true,
     "the traces of this run have not been analysed: give them after the profile (vftrace report "
     "--waits heat_all.json heat_*.vfd), or see vftrace analyze --into"},
    {"waiting", "Print only where threads waited or were displaced by other work", true,
     "this run does not have the states of its threads: waiting.active is off, or the kernel does "
     "not report them (kernel.perf_event_paranoid above 2, no locked memory, seccomp)"},
    {"memory",
     "Print only which paths had most memory at the peak and at the end, and which allocated most",
     true, "the allocations of this run were not recorded (vftrace run --memory)"},
    {"files", "Print only which files were read and written, by which call paths", true,
     "the calls with files of this run were not recorded (vftrace run --io)"},
    {"latencies", "Print only how long calls took: percentiles and the longest call of each path",
     true,
     "no path of this run has several recorded calls longer than a microsecond (samples do not "
     "have durations)"},
    {"binding",
     "Print only on which processors each thread could run, and how many busy ones share them",
     false, "this run does not have the binding of its threads (see the option process.active)"},
    {"cuda", "Print only the CUDA calls and the activity of GPUs", true,
     "this run did not use CUDA"},
    {"offload", "Print only the OpenACC and OpenMP target constructs", true,
     "this run used neither OpenACC nor OpenMP target constructs"},
    {"hwprof", "Print only the hardware counters and what is computed from them", true,
     "this run did not read hardware counters"},
    {"sections", "Print only the sections of the program", true,
     "this program does not have sections"},
    {"tasks", "Print only the types of asynchronous tasks", true,
     "this program has not reported tasks"},
    {"regions",
     "Print only the regions: by host, and those annotated for other tools (Kokkos, Caliper, ...); "
     "with --sections: as sections of level 1",
     true,
     "this run has neither a report of regions (see the option region_report.active) nor "
     "annotations for other tools"},
    {"process",
     "Print only the figures about processes and hosts, such as processor time, page faults, "
     "context switches, bytes read and written, and waiting",
     false, "this run does not have figures about its processes (see the option process.active)"},
    {"lines", "Print only the source lines, by the samples that were taken in their code", true,
     no_addresses},
    {"loops",
     "Print only the loops of the functions with most time, by the samples that were taken "
     "in their code",
     true, nullptr},
    {"findings", "Print only the findings: what seems to be wrong with the run, and how far its "
                 "figures can be trusted"},
    {"efficiency", "Print only the efficiencies of the run, or compare those of several files",
     true, "this run has neither several ranks nor OpenMP nor GPUs: efficiencies are not defined"}};
// With --over-time, instead of the types as a whole.
constexpr OptionOfView tasks_over_time = {"tasks --over-time", "", true,
                                          "this run does not have snapshots of tasks"};

struct ReportArguments {
    std::vector<std::string> files;   // profiles
    std::vector<std::string> traces;  // of the run of the only profile
    bool no_findings = false;
    std::optional<std::string> efficiency_regions;
    bool weak = false;
    std::string sort = "time_excl";
    bool ascending = false;
    std::string group;
    bool callpath = false;
    bool overhead = false;
    bool energy = false;
    bool waited = false;
    bool imbalances = false;
    bool minmax = false;
    std::string sort_messages;  // empty: by total time
    std::string sort_tasks = "own";
    std::array<bool, std::size(options_of_views)> views{};
    SectionReport sections;
    bool over_time = false;
    bool stacks = false;
    bool inlines = false;
    std::vector<std::string> source_map;  // "OLD=NEW"
    std::string parameters;               // an analysis, for loops; "": none
    std::size_t limit = 0;
    bool all = false;
    std::size_t width = 0;  // 0: that of the terminal
    bool full_names = false;
    std::string color{color_auto};
    bool pager = true;

    std::vector<std::string> tables;
    std::string format = "text";

    bool html = false;
    PageArguments page;

    // The most important facts only: of the run, of a function, or of a path.
    bool brief = false;
    std::string function, path;
    std::string brief_of_difference_to;  // another profile; empty: none
    bool is_brief() const { return brief || !function.empty() || !path.empty(); }

    // With --sections, --regions refers to the sections, and is not a view.
    void read_regions() {
        for (std::size_t i = 0; i < std::size(options_of_views); i++)
            if (options_of_views[i].name == std::string_view("regions") && wants("sections"))
                sections.regions = std::exchange(views[i], false);
    }
    // Only some views are printed, instead of the log.
    bool some_views() const { return std::find(views.begin(), views.end(), true) != views.end(); }
    bool wants(std::string_view view) const {
        for (std::size_t i = 0; i < views.size(); i++)
            if (view == options_of_views[i].name)
                return views[i];
        return false;
    }
};

// Why a text cannot be a value of --source-map, "" if it can.
std::string error_in_source_map(const std::string& text);

// Adds the options of the command, whose values are in `arguments` once the command line has been
// read. Returns those that determine how the tables of the log look.
std::vector<Option> add_report_options(const Command& command, ReportArguments& arguments);

// Sorts the files by their kind. Throws CommandError if the given options cannot be combined.
void check_report_arguments(const Command& command, const std::vector<Option>& options_of_log,
                            ReportArguments& arguments);

}  // namespace vftrace::tools
