// The views of a profile: the table of all of them.
#include "report/views.hpp"

#include "profile/section_tree.hpp"
#include "profile/task_tree.hpp"
#include "report/communication_profile.hpp"
#include "report/counter_tables.hpp"
#include "report/cuda_summary.hpp"
#include "report/efficiency_tables.hpp"
#include "report/filtered_table.hpp"
#include "report/finding_text.hpp"
#include "report/gpu_tables.hpp"
#include "report/host_tables.hpp"
#include "report/message_tables.hpp"
#include "report/metric_tables.hpp"
#include "report/offload_tables.hpp"
#include "report/process_tables.hpp"
#include "report/profile_tables.hpp"
#include "report/rank_tables.hpp"
#include "report/region_report.hpp"
#include "report/region_tables.hpp"
#include "report/section_tables.hpp"
#include "report/snapshot_table.hpp"
#include "report/task_tables.hpp"
#include "report/task_time_table.hpp"
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

constexpr View all_views[] = {
    {"", "", always,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_table; },
     write_runtime_profile},
    {"sections", "sections", has_sections,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.sections.show; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_section_tables(profile, text, options, out); }},
    {"tasks", "tasks", has_tasks,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_tasks; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_task_tables(profile, text, options, out); }},
    {"minmax", "", [](const Profile& profile) { return !profile.spread.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_minmax && scope == LogScope::summary;
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_minmax_summary(profile, text, options, out); }},
    {"namegroup", "", always,
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_name_groups && scope == LogScope::summary;
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_name_grouped_profile(profile, text, options, out); }},
    {"filtered", "", [](const Profile& profile) { return !profile.filtered.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_filtered; },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        TableOutput& out) { write_filtered_table(profile, options, out); }},
    {"mpi", "",
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
    {"efficiency", "efficiency", has_efficiencies,
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return options.show_efficiency && scope == LogScope::summary;
     },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        TableOutput& out) { write_efficiency_table(profile, options, out); }},
    {"waits", "waits", has_wait_tables,
     [](const Profile&, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary;
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_wait_tables(profile, text, options, out); }},
    {"cuda", "cuda", uses_gpus,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_cuda; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_cuda_summary(profile, text, options, scope, out);
         write_cuda_ratios(profile, text, options, out);
         write_gpu_tables(profile, text, options, out);
         if (has_lists_of_numbers(options))
             write_cbid_names(profile, out);
     }},
    {"accprof", "offload", uses<ProgrammingModel::openacc>,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openacc; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_offload_tables(profile, ProgrammingModel::openacc, text, options, scope,
                              options.show_openacc_details, out);
         if (options.show_openacc_details && has_lists_of_numbers(options))
             write_openacc_event_ids(profile, out);
     }},
    {"omptarget", "offload", uses<ProgrammingModel::openmp>,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openmp; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        TableOutput& out) {
         write_offload_tables(profile, ProgrammingModel::openmp, text, options, scope,
                              options.show_everything, out);
     }},
    {"threads", "threads", [](const Profile& profile) { return !profile.threads.empty(); },
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return options.show_threads && has_thread_table(profile);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_thread_table(profile, text, options, out); }},
    {"openmp", "openmp", [](const Profile& profile) { return !profile.parallel_regions.empty(); },
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_openmp; },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_parallel_region_table(profile, text, options, out); }},
    {"metrics", "", has_metric_tables, in_each_log,
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_metric_tables(profile, text, options, out); }},
    {"hosts", "process", has_host_tables,
     [](const Profile& profile, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary && has_host_tables_of_logs(profile);
     },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        TableOutput& out) { write_host_tables(profile, options, out); }},
    {"", "regions", has_region_report,
     [](const Profile&, const ReportOptions&, LogScope scope) {
         return scope == LogScope::summary;
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_region_tables(profile, text, options, out); }},
    {"process", "process", has_process_tables,
     [](const Profile& profile, const ReportOptions&, LogScope) {
         return has_process_tables_of_logs(profile);
     },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        TableOutput& out) { write_process_tables(profile, options, out); }},
    {"hwprof", "hwprof", has_counter_tables,
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return (options.show_observables && !profile.run.observables.empty()) ||
                ((options.show_counters || options.show_counter_summary) &&
                 !profile.run.counters.empty());
     },
     write_counter_tables},
    {"", "findings", always, in_no_log,
     [](const Profile& profile, const PathText&, const ReportOptions&, LogScope, TableOutput& out) {
         write_findings(profile, out);
     }},
    {"", "", has_snapshots, in_no_log,
     [](const Profile& profile, const PathText&, const ReportOptions&, LogScope, TableOutput& out) {
         write_snapshot_table(profile, out);
     }},
    {"", "tasks --over-time", has_task_snapshots, in_no_log,
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        TableOutput& out) { write_task_time_table(profile, text, options, out); }},
    {"", "matrix", [](const Profile& profile) { return profile.run.uses_mpi; }, in_no_log,
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        TableOutput& out) { write_communication_matrix(profile, options, out); }},
    {"", "sizes", [](const Profile& profile) { return profile.run.uses_mpi; }, in_no_log,
     [](const Profile& profile, const PathText&, const ReportOptions&, LogScope, TableOutput& out) {
         write_message_sizes(profile, out);
     }},
    {"", "", always,
     [](const Profile&, const ReportOptions& options, LogScope) { return options.show_stacklist; },
     [](const Profile& profile, const PathText& text, const ReportOptions&, LogScope,
        TableOutput& out) { write_call_stacks(profile, text, out); }},
};

}  // namespace

std::span<const View> views() { return all_views; }

}  // namespace vftrace
