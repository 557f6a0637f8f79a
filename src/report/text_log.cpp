// The text logs.
#include "report/text_log.hpp"

#include "base/text.hpp"
#include "config/config.hpp"
#include "report/path_text.hpp"
#include "report/profile_tables.hpp"
#include "report/summary.hpp"

namespace vftrace {
namespace {

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

// Closes the file and keeps its failure if it is the first one.
void close(OutputFile& out, LogFailure& failure) {
    const int error = out.close();
    if (error != 0 && failure.error == 0)
        failure = {error, out.path()};
}

}  // namespace

int write_text_log(const Profile& profile, const ReportOptions& options, LogScope scope,
                   OutputFile& out) {
    CLocale c_locale;
    const PathText text(profile, options.max_name_width);
    write_log_header(profile.run, out);
    write_summary(profile.run, out);
    if (options.show_table)
        write_runtime_profile(profile, text, options, out);
    if (options.show_name_groups && !options.separate && scope == LogScope::summary)
        write_name_grouped_profile(profile, text, options, out);
    if (options.show_stacklist)
        write_call_stacks(profile, text, out);
    if (options.print_config)
        write_configuration(profile.run, out);
    return out.error();
}

LogFailure write_all_logs(const Profile& profile, const ReportOptions& options,
                          const std::string& base) {
    LogFailure failure;
    OutputFile log(base + "all.log");
    write_text_log(profile, options, LogScope::summary, log);
    close(log, failure);
    if (options.separate && options.show_name_groups) {
        CLocale c_locale;
        OutputFile name_groups(base + "all_namegroup.log");
        write_log_header(profile.run, name_groups);
        const PathText text(profile, options.max_name_width);
        write_name_grouped_profile(profile, text, options, name_groups);
        close(name_groups, failure);
    }
    return failure;
}

LogFailure write_rank_log(const Profile& profile, const ReportOptions& options,
                          const std::string& base) {
    const int digits = static_cast<int>(format("%u", profile.run.ranks).size());
    OutputFile log(base + format("%0*u.log", digits, profile.run.rank));
    LogFailure failure;
    write_text_log(profile, options, LogScope::rank, log);
    close(log, failure);
    return failure;
}

}  // namespace vftrace
