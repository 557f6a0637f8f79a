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

SortOrder sort_order(const std::string& column, bool ascending) {
    return {sort_column(column).value_or(SortColumn::time_excl), ascending};
}

std::size_t at_least(int smallest, int value) {
    return static_cast<std::size_t>(std::max(smallest, value));
}

}  // namespace

std::optional<SortColumn> sort_column(std::string_view name) {
    for (const auto& known : sort_columns)
        if (known.name == name)
            return known.column;
    return std::nullopt;
}

ReportOptions report_options(const Options& options) {
    ReportOptions report;
    report.show_table = options.profile_table_show_table;
    report.show_callpath = options.profile_table_show_callpath;
    report.show_overhead = options.profile_table_show_overhead;
    report.sort = sort_order(options.profile_table_sort_table_column,
                             options.profile_table_sort_table_ascending);
    report.max_name_width = at_least(8, options.profile_table_max_name_width);
    report.show_name_groups = options.name_grouped_profile_table_show_table;
    report.max_stack_ids = at_least(1, options.name_grouped_profile_table_max_stack_ids);
    report.name_group_sort = sort_order(options.name_grouped_profile_table_sort_table_column,
                                        options.name_grouped_profile_table_sort_table_ascending);
    report.show_stacklist = options.stacklist_show_stacklist;
    report.print_config = options.print_config;
    report.separate = options.profile_table_separate;
    return report;
}

}  // namespace vftrace
