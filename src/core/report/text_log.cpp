// The text logs.
#include "report/text_log.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "config/config.hpp"
#include "config/json_reader.hpp"
#include "report/cuda_summary.hpp"
#include "report/finding_text.hpp"
#include "report/offload_tables.hpp"
#include "report/summary.hpp"
#include "report/text_table.hpp"
#include "report/views.hpp"

namespace vftrace {
namespace {

bool is_shown(const View& view, const Profile& profile, const ReportOptions& options,
              LogScope scope) {
    return view.exists(profile) && view.is_in_log(profile, options, scope);
}

void write_configuration(const RunInfo& run, OutputFile& out) {
    out.write("\n");
    if (!run.config_source.empty())
        out.write("Vftrace configuration read from \"" + printable(run.config_source) + "\"\n");
    else if (run.config_text == print_configuration(Options{}))
        out.write("Vftrace default configuration:\n");
    else
        out.write("Vftrace configuration set by the environment:\n");
    Options options;
    Findings ignored;
    const bool is_readable =
        !run.config_text.empty() && read_options_from_text(run.config_text, options, ignored);
    out.write(printable_lines(is_readable ? print_configuration_of_log(options) : run.config_text));
    if (is_readable)
        return;
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
    for (const View& view : views()) {
        if (view.file.empty() || !is_shown(view, profile, options, scope))
            continue;
        OutputFile file(stem + '_' + std::string(view.file) + ".log", files);
        write_log_header(profile.run, file);
        TextTables tables(file, options.look);
        view.write(profile, text, options, scope, tables);
        file.close();
    }
}

}  // namespace

void write_log_tables(const Profile& profile, const PathText& text, const ReportOptions& options,
                      LogScope scope, TableOutput& out) {
    for (const View& view : views())
        if ((view.file.empty() || !options.separate) && is_shown(view, profile, options, scope))
            view.write(profile, text, options, scope, out);
    if (options.separate || options.show_everything)
        return;
    // The numbers that the tables above show.
    if (options.show_cuda)
        write_cbid_names(profile, out);
    if (options.show_openacc && options.show_openacc_details)
        write_openacc_event_ids(profile, out);
}

int write_text_log(const Profile& profile, const ReportOptions& options, LogScope scope,
                   OutputFile& out) {
    CLocale c_locale;
    const PathText text(profile, options.max_name_width);
    write_log_header(profile.run, out);
    write_summary(profile, out);
    TextTables tables(out, options.look);
    if (options.show_findings && scope == LogScope::summary)
        write_findings_of_log(profile, options, tables);
    write_log_tables(profile, text, options, scope, tables);
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
    for (const View& view : views())
        if (!view.file.empty())
            names.push_back(stem + '_' + std::string(view.file) + ".log");
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
