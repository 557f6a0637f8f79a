// What a text report shows: the part of the configuration that the report needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "config/options.hpp"
#include "config/sort_columns.hpp"
#include "report/text_look.hpp"

namespace vftrace {

// Summary logs are about all ranks, rank logs about one; tables that compare or group over the
// whole run are only in the summary log.
enum class LogScope : std::uint8_t { summary, rank };

using SortOrder = SortedBy<SortColumn>;
using MessageSortOrder = SortedBy<MessageColumn>;
using TaskSortOrder = SortedBy<TaskColumn>;
using WaitSortOrder = SortedBy<WaitColumn>;
using CudaSortOrder = SortedBy<CudaColumn>;
using OpenaccSortOrder = SortedBy<OpenaccColumn>;

// What tables of sections show.
struct SectionReport {
    bool show = true;
    int level = 1;                          // down to this one; -1: no table of all
    bool branch = false;                    // the heaviest one
    std::size_t heaviest = 0;               // number of sections
    bool regions = false;                   // regions are shown like sections of level 1
    std::optional<std::uint32_t> thread{};  // ThreadFigures::number; none: sums over all
};

struct ReportOptions {
    // Findings, below the summary
    bool show_findings = true;
    std::string profile_file = "FILE";  // the JSON file, as a word of the shell
    // Of paths, the source line with most of their own time, as far as known: "heat.cpp:120 (63
    // %)".
    std::map<std::uint32_t, std::string> hot_lines{};
    // Runtime profile
    bool show_table = true;
    bool show_callpath = false;
    bool show_overhead = false;
    bool show_energy = false;
    bool show_waiting = false;
    bool show_imbalances = false;  // summary log
    SortOrder sort;
    // 0: all, except for tables with their own limit, which all_rows lifts.
    std::size_t max_rows = 0;
    bool all_rows = false;
    // The limit of tables that do not have their own, or have a larger one.
    std::size_t rows_by_default = static_cast<std::size_t>(-1);
    // The runtime profile's own limit.
    std::size_t profile_rows = static_cast<std::size_t>(-1);
    bool show_filtered = true;
    TextLook look;
    // Names longer than this many characters are shortened in the middle, in all tables.
    std::size_t max_name_width = 60;
    // Runtime profile (Grouped by function name)
    bool show_name_groups = false;
    std::size_t max_stack_ids = 8;  // in one row
    SortOrder name_group_sort;
    // Performance Graph
    SectionReport sections;
    // Task ranks
    bool show_tasks = true;
    TaskSortOrder task_sort;
    bool show_task_tree = false;
    // Summary: Min/Max runtime across all ranks
    bool show_minmax = false;
    // Communication profile
    bool show_communication = true;
    bool show_communication_callpath = false;
    std::string communication_ranks = "all";  // that recorded messages, for the title
    MessageSortOrder communication_sort{.column = MessageColumn::stack_id};
    // Not in logs: a column with the total time, by which the table is sorted.
    bool show_communication_time = false, sort_communication_by_time = false;
    // Wait states, Causes of waiting, Critical path
    WaitSortOrder wait_sort;
    // MPI time by rank
    bool show_rank_table = true;
    // Efficiencies (summary log)
    bool show_efficiency = true;
    std::optional<std::string> efficiency_regions{};  // a regular expression
    // Threads
    bool show_threads = true;
    std::size_t max_thread_rows = 16;  // its own limit
    // OpenMP parallel regions
    bool show_openmp = true;
    // CUDA and GPUs
    bool show_cuda = true;
    CudaSortOrder cuda_sort;
    // OpenACC and, with the same order, OpenMP constructs for devices
    bool show_openacc = true;
    bool show_openacc_details = false;
    OpenaccSortOrder openacc_sort;
    // Hardware counters
    bool show_observables = true;
    bool show_counters = false;
    bool show_counter_summary = false;
    std::size_t observable_sort = 0;  // position of the observable to sort by

    // The contents of a view that logs show only partly.
    bool show_everything = false;

    bool show_stacklist = true;
    bool print_config = true;
    bool separate = false;  // every table but the runtime profile goes into a separate file
};

ReportOptions report_options(const Options& options);

}  // namespace vftrace
