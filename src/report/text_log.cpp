// The text logs.
#include "report/text_log.hpp"

#include "base/text.hpp"
#include "config/config.hpp"
#include "report/communication_profile.hpp"
#include "report/counter_tables.hpp"
#include "report/cuda_summary.hpp"
#include "report/filtered_table.hpp"
#include "report/gpu_tables.hpp"
#include "report/metric_tables.hpp"
#include "report/offload_tables.hpp"
#include "report/path_text.hpp"
#include "report/process_tables.hpp"
#include "report/profile_tables.hpp"
#include "report/rank_tables.hpp"
#include "report/summary.hpp"
#include "report/thread_tables.hpp"

namespace vftrace {
namespace {

// A part of the log that can have a file of its own.
struct Part {
    const char* name;  // of the file: <base>all_<name>.log
    bool (*is_shown)(const Profile&, const ReportOptions&, LogScope);
    void (*write)(const Profile&, const PathText&, const ReportOptions&, LogScope, OutputFile&);
};

// In the order in which they follow the runtime profile.
constexpr Part parts[] = {
    {"minmax",
     [](const Profile& profile, const ReportOptions& options, LogScope scope) {
         return scope == LogScope::summary && has_minmax_summary(profile, options);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        OutputFile& out) { write_minmax_summary(profile, text, options, out); }},
    {"namegroup",
     [](const Profile&, const ReportOptions& options, LogScope scope) {
         return scope == LogScope::summary && options.show_name_groups;
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        OutputFile& out) { write_name_grouped_profile(profile, text, options, out); }},
    {"filtered",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return has_filtered_table(profile, options);
     },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        OutputFile& out) { write_filtered_table(profile, options, out); }},
    {"mpi",
     [](const Profile& profile, const ReportOptions& options, LogScope scope) {
         return has_communication_profile(profile, options) ||
                (scope == LogScope::summary && has_rank_table(profile, options));
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        OutputFile& out) {
         if (has_communication_profile(profile, options))
             write_communication_profile(profile, text, options, out);
         if (scope == LogScope::summary && has_rank_table(profile, options))
             write_rank_table(profile, options, out);
     }},
    {"cuda",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return options.show_cuda && uses_gpus(profile);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        OutputFile& out) {
         write_cuda_summary(profile, text, options, scope, out);
         write_cuda_ratios(profile, text, options, out);
         write_gpu_tables(profile, text, options, out);
         if (options.separate)
             write_cbid_names(profile, out);
     }},
    {"accprof",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return options.show_openacc && uses_offload(profile, ProgrammingModel::openacc);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        OutputFile& out) {
         write_offload_tables(profile, ProgrammingModel::openacc, text, options, scope,
                              options.show_openacc_details, out);
         if (options.separate && options.show_openacc_details)
             write_openacc_event_ids(profile, out);
     }},
    {"omptarget",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return options.show_openmp && uses_offload(profile, ProgrammingModel::openmp);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope scope,
        OutputFile& out) {
         write_offload_tables(profile, ProgrammingModel::openmp, text, options, scope, false, out);
     }},
    {"threads",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return has_thread_table(profile, options);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        OutputFile& out) {
         write_thread_table(profile, text,
                            options.max_rows ? options.max_rows : options.max_thread_rows, out);
     }},
    {"openmp",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return has_parallel_region_table(profile, options);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        OutputFile& out) { write_parallel_region_table(profile, text, options.max_rows, out); }},
    {"metrics",
     [](const Profile& profile, const ReportOptions&, LogScope) {
         return has_metric_tables(profile);
     },
     [](const Profile& profile, const PathText& text, const ReportOptions& options, LogScope,
        OutputFile& out) { write_metric_tables(profile, text, options, out); }},
    {"process",
     [](const Profile& profile, const ReportOptions&, LogScope) {
         return has_process_tables(profile);
     },
     [](const Profile& profile, const PathText&, const ReportOptions& options, LogScope,
        OutputFile& out) { write_process_tables(profile, options, out); }},
    {"hwprof",
     [](const Profile& profile, const ReportOptions& options, LogScope) {
         return has_counter_tables(profile, options);
     },
     write_counter_tables},
};

void write_configuration(const RunInfo& run, OutputFile& out) {
    out.write("\n");
    if (!run.config_source.empty())
        out.write("Vftrace configuration read from \"" + run.config_source + "\"\n");
    else if (run.config_text == print_configuration(Options{}))
        out.write("Vftrace default configuration:\n");
    else
        out.write("Vftrace configuration set by the environment:\n");
    out.write(run.config_text);
    if (!run.config_text.ends_with('\n'))
        out.write("\n");
}

// Writes `<stem>.log` and, with options.separate, `<stem>_<part>.log`.
void write_logs(const Profile& profile, const ReportOptions& options, LogScope scope,
                const std::string& stem, NewFiles& files) {
    OutputFile log(stem + ".log", files);
    write_text_log(profile, options, scope, log);
    log.close();
    if (!options.separate)
        return;
    CLocale c_locale;
    const PathText text(profile, options.max_name_width);
    for (const Part& part : parts) {
        if (!part.is_shown(profile, options, scope))
            continue;
        OutputFile file(stem + "_" + part.name + ".log", files);
        write_log_header(profile.run, file);
        part.write(profile, text, options, scope, file);
        file.close();
    }
}

}  // namespace

int write_text_log(const Profile& profile, const ReportOptions& options, LogScope scope,
                   OutputFile& out) {
    CLocale c_locale;
    const PathText text(profile, options.max_name_width);
    write_log_header(profile.run, out);
    write_summary(profile, out);
    if (options.show_table)
        write_runtime_profile(profile, text, options, scope, out);
    for (const Part& part : parts)
        if (!options.separate && part.is_shown(profile, options, scope))
            part.write(profile, text, options, scope, out);
    if (options.show_stacklist)
        write_call_stacks(profile, text, out);
    if (options.show_cuda && !options.separate)
        write_cbid_names(profile, out);
    if (options.show_openacc && options.show_openacc_details && !options.separate)
        write_openacc_event_ids(profile, out);
    if (options.print_config)
        write_configuration(profile.run, out);
    return out.error();
}

void write_all_logs(const Profile& profile, const ReportOptions& options, const std::string& base,
                    NewFiles& files) {
    write_logs(profile, options, LogScope::summary, base + "all", files);
}

std::vector<std::string> log_names(const std::string& stem) {
    std::vector<std::string> names = {stem + ".log"};
    for (const Part& part : parts)
        names.push_back(stem + "_" + part.name + ".log");
    return names;
}

std::string rank_text(const RunInfo& run) {
    const int digits = static_cast<int>(format("%u", run.ranks).size());
    return format("%0*u", digits, run.rank);
}

void write_rank_log(const Profile& profile, const ReportOptions& options, const std::string& base,
                    NewFiles& files) {
    write_logs(profile, options, LogScope::rank, base + rank_text(profile.run), files);
}

}  // namespace vftrace
