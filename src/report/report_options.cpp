// What a text report shows, taken from the configuration.
#include "report/report_options.hpp"

#include <algorithm>

namespace vftrace {
namespace {

constexpr struct {
    std::string_view name;
    SortColumn column;
} sort_columns[] = {{"time_excl", SortColumn::time_excl}, {"time_incl", SortColumn::time_incl},
                    {"calls", SortColumn::calls},         {"stack_id", SortColumn::stack_id},
                    {"overhead", SortColumn::overhead},   {"none", SortColumn::stack_id}};

constexpr struct {
    std::string_view name;
    MessageColumn column;
} message_columns[] = {
    {"messages", MessageColumn::messages},   {"send_size", MessageColumn::send_size},
    {"recv_size", MessageColumn::recv_size}, {"send_bw", MessageColumn::send_bw},
    {"recv_bw", MessageColumn::recv_bw},     {"comm_time", MessageColumn::comm_time},
    {"stack_id", MessageColumn::stack_id},   {"none", MessageColumn::stack_id}};

constexpr struct {
    std::string_view name;
    CudaColumn column;
} cuda_columns[] = {{"time", CudaColumn::time},
                    {"memcpy", CudaColumn::memcpy},
                    {"cbid", CudaColumn::cbid},
                    {"calls", CudaColumn::calls},
                    {"none", CudaColumn::stack_id}};

constexpr struct {
    std::string_view name;
    OffloadColumn column;
} offload_columns[] = {{"time", OffloadColumn::time},
                       {"memcpy", OffloadColumn::memcpy},
                       {"calls", OffloadColumn::calls},
                       {"none", OffloadColumn::stack_id}};

// The column of a name in one of these tables.
template <class Table>
auto column_named(const Table& columns, std::string_view name) {
    std::optional<decltype(columns[0].column)> found;
    for (const auto& known : columns)
        if (known.name == name)
            found = known.column;
    return found;
}

SortOrder sort_order(const std::string& column, bool ascending) {
    return {sort_column(column).value_or(SortColumn::time_excl), ascending};
}

std::size_t at_least(int smallest, int value) {
    return static_cast<std::size_t>(std::max(smallest, value));
}

}  // namespace

std::optional<SortColumn> sort_column(std::string_view name) {
    return column_named(sort_columns, name);
}

std::optional<MessageColumn> message_column(std::string_view name) {
    return column_named(message_columns, name);
}

std::optional<CudaColumn> cuda_column(std::string_view name) {
    return column_named(cuda_columns, name);
}

std::optional<OffloadColumn> offload_column(std::string_view name) {
    return column_named(offload_columns, name);
}

ReportOptions report_options(const Options& options) {
    ReportOptions report;
    report.show_table = options.profile_table_show_table;
    report.show_callpath = options.profile_table_show_callpath;
    report.show_overhead = options.profile_table_show_overhead;
    report.show_imbalances = options.profile_table_show_calltime_imbalances;
    report.sort = sort_order(options.profile_table_sort_table_column,
                             options.profile_table_sort_table_ascending);
    report.show_filtered = options.overhead_show_table;
    report.max_name_width = at_least(8, options.profile_table_max_name_width);
    report.show_name_groups = options.name_grouped_profile_table_show_table;
    report.max_stack_ids = at_least(1, options.name_grouped_profile_table_max_stack_ids);
    report.name_group_sort = sort_order(options.name_grouped_profile_table_sort_table_column,
                                        options.name_grouped_profile_table_sort_table_ascending);
    report.show_minmax = options.profile_table_show_minmax_summary;
    report.show_communication = options.mpi_show_table;
    report.show_communication_callpath = options.mpi_show_callpath;
    report.communication_ranks = options.mpi_only_for_ranks;
    report.communication_sort = {
        message_column(options.mpi_sort_table_column).value_or(MessageColumn::stack_id),
        options.mpi_sort_table_ascending};
    report.show_rank_table = options.mpi_show_rank_table;
    report.show_threads = options.threads_show_table;
    report.max_thread_rows = at_least(1, options.threads_max_rows);
    report.show_openmp = options.openmp_show_table;
    report.show_cuda = options.cuda_show_table;
    report.cuda_sort = {cuda_column(options.cuda_sort_table_column).value_or(CudaColumn::time),
                        options.cuda_sort_table_ascending};
    report.show_openacc = options.openacc_show_table;
    report.show_openacc_details = options.openacc_show_event_details;
    report.offload_sort = {
        offload_column(options.openacc_sort_table_column).value_or(OffloadColumn::time),
        options.openacc_sort_table_ascending};
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
