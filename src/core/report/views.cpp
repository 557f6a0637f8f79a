// The views of a profile: the table of all of them.
#include "report/views.hpp"

#include "profile/annotations.hpp"
#include "profile/file_access.hpp"
#include "profile/heap.hpp"
#include "profile/section_tree.hpp"
#include "profile/task_tree.hpp"
#include "profile/waiting.hpp"
#include "report/cuda_summary.hpp"
#include "report/efficiency_tables.hpp"
#include "report/finding_text.hpp"
#include "report/gpu_tables.hpp"
#include "report/offload_tables.hpp"
#include "report/rank_tables.hpp"
#include "report/region_report.hpp"
#include "report/tables.hpp"
#include "report/thread_tables.hpp"
#include "report/wait_tables.hpp"

namespace vftrace {
namespace {

bool always(const Profile&) { return true; }
bool in_no_log(const Profile&, const ReportOptions&, LogScope) { return false; }
bool in_each_log(const Profile&, const ReportOptions&, LogScope) { return true; }

// The lists of numbers of functions and events are at the end of a log that has everything in one
// file.
bool has_lists_of_numbers(const ReportOptions& options) {
    return options.separate || options.show_everything;
}

template <ProgrammingModel model>
bool uses(const Profile& profile) {
    return uses_offload(profile, model);
}

// Calls a function that needs only some of what a view gets.
template <auto write>
void with(const Profile& profile, [[maybe_unused]] const PathText& text,
          [[maybe_unused]] const ReportOptions& options, [[maybe_unused]] LogScope scope,
          TableOutput& out) {
    if constexpr (requires { write(profile, text, options, scope, out); })
        write(profile, text, options, scope, out);
    else if constexpr (requires { write(profile, text, options, out); })
        write(profile, text, options, out);
    else if constexpr (requires { write(profile, options, scope, out); })
        write(profile, options, scope, out);
    else if constexpr (requires { write(profile, options, out); })
        write(profile, options, out);
    else if constexpr (requires { write(profile, text, out); })
        write(profile, text, out);
    else
        write(profile, out);
}

constexpr View all_views[] = {
    {"", "", OnPage::other, always,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_table; },
     write_runtime_profile},
    {"sections", "sections", OnPage::tables, has_sections,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.sections.show; },
     with<write_section_tables>},
    {"tasks", "tasks", OnPage::tables, has_tasks,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_tasks; },
     with<write_task_tables>},
    {"minmax", "", OnPage::other, [](const Profile& profile) { return !profile.spread.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_minmax && scope == LogScope::summary;
     },
     with<write_minmax_summary>},
    {"namegroup", "", OnPage::other, always,
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_name_groups && scope == LogScope::summary;
     },
     with<write_name_grouped_profile>},
    {"filtered", "", OnPage::tables,
     [](const Profile& profile) { return !profile.filtered.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_filtered; },
     with<write_filtered_table>},
    {"mpi", "", OnPage::other,
     [](const Profile& profile) {
         return has_communication_profile(profile) || has_rank_table(profile);
     },
     [](const Profile& profile, const ReportOptions& options, LogScope scope) {
         return (options.show_communication && has_communication_profile(profile)) ||
                (options.show_rank_table && scope == LogScope::summary && has_rank_table(profile));
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         if (options.show_communication && has_communication_profile(profile))
             write_communication_profile(profile, text, options, out);
         if (options.show_rank_table && scope == LogScope::summary && has_rank_table(profile))
             write_rank_table(profile, options, out);
     }},
    {"efficiency", "efficiency", OnPage::other, has_efficiencies,
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_efficiency && scope == LogScope::summary;
     },
     with<write_efficiency_table>},
    {"waits", "waits", OnPage::other, has_wait_tables,
     [](const Profile&, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary;
     },
     with<write_wait_tables>},
    {"cuda", "cuda", OnPage::tables, uses_gpus,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_cuda; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_cuda_summary(profile, text, options, scope, out);
         write_cuda_ratios(profile, text, options, out);
         write_gpu_tables(profile, text, options, out);
         if (has_lists_of_numbers(options))
             write_cbid_names(profile, out);
     }},
    {"accprof", "offload", OnPage::tables, uses<ProgrammingModel::openacc>,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openacc; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_offload_tables(profile, ProgrammingModel::openacc, text, options, scope,
                              options.show_openacc_details, out);
         if (options.show_openacc_details && has_lists_of_numbers(options))
             write_openacc_event_ids(profile, out);
     }},
    {"omptarget", "offload", OnPage::tables, uses<ProgrammingModel::openmp>,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openmp; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_offload_tables(profile, ProgrammingModel::openmp, text, options, scope,
                              options.show_everything, out);
     }},
    {"threads", "threads", OnPage::tables,
     [](const Profile& profile) { return !profile.threads.empty(); },
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return options.show_threads && has_thread_table(profile);
     },
     with<write_thread_table>},
    {"openmp", "openmp", OnPage::tables,
     [](const Profile& profile) { return !profile.parallel_regions.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openmp; },
     with<write_parallel_region_table>},
    {"metrics", "", OnPage::tables, has_metric_tables, in_each_log, with<write_metric_tables>},
    {"hosts", "process", OnPage::tables, has_host_tables,
     [](const Profile& profile, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary && has_host_tables_of_logs(profile);
     },
     with<write_host_tables>},
    {"", "regions", OnPage::tables, has_region_report,
     [](const Profile&, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary;
     },
     with<write_region_tables>},
    {"", "regions", OnPage::tables, has_annotations, in_no_log, with<write_annotation_tables>},
    {"process", "process", OnPage::tables, has_process_tables,
     [](const Profile& profile, const ReportOptions&, LogScope) {
         return has_process_tables_of_logs(profile);
     },
     with<write_process_tables>},
    {"hwprof", "hwprof", OnPage::tables, has_counter_tables,
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return (options.show_observables && !profile.run.observables.empty()) ||
                ((options.show_counters || options.show_counter_summary) &&
                 !profile.run.counters.empty());
     },
     write_counter_tables},
    {"", "waiting", OnPage::tables, has_waiting, in_no_log, with<write_waiting_tables>},
    {"", "memory", OnPage::tables, has_heap, in_no_log, with<write_heap_tables>},
    {"", "files", OnPage::tables, has_files, in_no_log, with<write_file_tables>},
    {"", "latencies", OnPage::tables, has_latencies, in_no_log, with<write_latency_table>},
    {"", "binding", OnPage::tables, has_binding, in_no_log, with<write_binding_table>},
    {"", "findings", OnPage::other, always, in_no_log, with<write_findings>},
    {"", "", OnPage::other, has_snapshots, in_no_log, with<write_snapshot_table>},
    {"", "tasks --over-time", OnPage::tables, has_task_snapshots, in_no_log,
     with<write_task_time_table>},
    {"", "matrix", OnPage::other, [](const Profile& profile) { return profile.run.uses_mpi; },
     in_no_log, with<write_communication_matrix>},
    {"", "sizes", OnPage::other, [](const Profile& profile) { return profile.run.uses_mpi; },
     in_no_log, with<write_message_sizes>},
    {"", "", OnPage::other, always,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_stacklist; },
     with<write_call_stacks>},
};

}  // namespace

std::span<const View> views() { return all_views; }

}  // namespace vftrace
