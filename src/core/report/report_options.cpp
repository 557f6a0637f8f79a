// What a text report shows, taken from the configuration.
#include "report/report_options.hpp"

#include <algorithm>

namespace vftrace {
namespace {

// Options have been checked: the only word that is not in the list is "none".
template <class Column>
SortedBy<Column> sorted_by(const std::string& word, bool ascending) {
    return {column_named<Column>(word).value_or(Column::stack_id), ascending};
}

std::size_t at_least(int smallest, int value) {
    return static_cast<std::size_t>(std::max(smallest, value));
}

}  // namespace

ReportOptions report_options(const Options& options) {
    ReportOptions report;
    report.show_table = options.profile_table_show_table;
    report.show_callpath = options.profile_table_show_callpath;
    report.show_energy = options.profile_table_show_energy;
    report.show_waiting = options.profile_table_show_waiting;
    report.show_overhead = options.profile_table_show_overhead;
    report.show_imbalances = options.profile_table_show_calltime_imbalances;
    report.sort = sorted_by<SortColumn>(options.profile_table_sort_table_column,
                                        options.profile_table_sort_table_ascending);
    if (options.profile_table_max_rows > 0)
        report.profile_rows = at_least(1, options.profile_table_max_rows);
    report.show_filtered = options.overhead_show_table;
    report.max_name_width = at_least(8, options.profile_table_max_name_width);
    report.show_name_groups = options.name_grouped_profile_table_show_table;
    report.max_stack_ids = at_least(1, options.name_grouped_profile_table_max_stack_ids);
    report.name_group_sort =
        sorted_by<SortColumn>(options.name_grouped_profile_table_sort_table_column,
                              options.name_grouped_profile_table_sort_table_ascending);
    report.show_tasks = options.task_show_table;
    report.sections = {.show = options.section_show_table,
                       .level = options.section_level,
                       .branch = options.section_heaviest_branch,
                       .heaviest = at_least(0, options.section_heaviest_sections),
                       .regions = options.section_regions};
    report.show_minmax = options.profile_table_show_minmax_summary;
    report.show_communication = options.mpi_show_table;
    report.show_communication_callpath = options.mpi_show_callpath;
    report.communication_ranks = options.mpi_only_for_ranks;
    report.communication_sort =
        sorted_by<MessageColumn>(options.mpi_sort_table_column, options.mpi_sort_table_ascending);
    report.show_rank_table = options.mpi_show_rank_table;
    report.show_findings = options.findings_show;
    report.show_efficiency = options.efficiency_show_table;
    report.efficiency_regions = options.efficiency_regions;
    report.show_threads = options.threads_show_table;
    report.max_thread_rows = at_least(1, options.threads_max_rows);
    report.show_openmp = options.openmp_show_table;
    report.show_cuda = options.cuda_show_table;
    report.cuda_sort =
        sorted_by<CudaColumn>(options.cuda_sort_table_column, options.cuda_sort_table_ascending);
    report.show_openacc = options.openacc_show_table;
    report.show_openacc_details = options.openacc_show_event_details;
    report.openacc_sort = sorted_by<OpenaccColumn>(options.openacc_sort_table_column,
                                                   options.openacc_sort_table_ascending);
    report.show_observables = options.hwprof_show_observables;
    report.show_counters = options.hwprof_show_counters;
    report.show_counter_summary = options.hwprof_show_summary;
    report.observable_sort = at_least(0, options.hwprof_sort_by_column);
    report.show_stacklist = options.stacklist_show_stacklist;
    report.print_config = options.print_config;
    report.separate = options.profile_table_separate;
    return report;
}

}  // namespace vftrace
