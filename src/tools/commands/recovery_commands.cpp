#include "commands/recovery_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "config/config.hpp"
#include "config/run_variable.hpp"

namespace vftrace::tools {
namespace {

void report(const Job& job, const WrittenFiles& written, const RecoveryRequest& request) {
    std::vector<std::string> pids;
    for (const TreeFileInWork* file : job)
        pids.push_back(std::to_string(file->record().pid));
    const RunInfo& run = job.front()->profile().run;
    const std::string state = request.occasion == Occasion::snapshot ? ", still running"
                              : run.ended.empty()                    ? ""
                                                                     : ", ended by " + run.ended;
    show("{} (process{} {}){}:\n", run.application, pids.size() == 1 ? "" : "es",
         joined(pids, ", "), state);
    for (const std::string& path : written.paths)
        show("  {}\n", path);
    for (const std::string& note : written.notes)
        show("  {}\n", note);
}

void report(const TraceInWork& trace, const std::string& written) {
    const VfdFigures& figures = trace.figures();
    show("{} (process {}):\n  {}\n", trace.record().application, trace.record().pid, written);
    if (figures.damaged_chunks > 0)
        fmt::print("  {} piece{} of the trace could not be read: events may be missing\n",
                   figures.damaged_chunks, plural_s(figures.damaged_chunks));
    if (figures.dropped_events > 0)
        fmt::print("  {} event{} dropped by the process\n", figures.dropped_events,
                   figures.dropped_events == 1 ? " was" : "s were");
    if (figures.dropped_work > 0)
        fmt::print("  {} piece{} of GPU work {} dropped by the process\n", figures.dropped_work,
                   plural_s(figures.dropped_work), figures.dropped_work == 1 ? "was" : "were");
    if (!figures.error.empty())
        show("  {}\n", figures.error);
}

// For a process that requested its profile while dying: prints what it would have printed at a
// normal end.
void report_for_process(const TreeFileInWork& process, const WrittenFiles& written) {
    const ProcessRecord& record = process.record();
    if (record.forked || record.rank != 0)
        return;
    const auto json = std::find_if(written.paths.begin(), written.paths.end(),
                                   [](const auto& path) { return path.ends_with(".json"); });
    if (process.options().end_report && json != written.paths.end())
        print_report(*json, STDERR_FILENO);
    if (process.options().end_summary_line && run_ends_at_terminal())
        remark(written.summary);
}

}  // namespace

int write_profiles(const std::vector<std::string>& paths, const RecoveryRequest& request,
                   bool removes, bool quiet) {
    int status = status_ok;
    auto complain = [&](const std::exception& error) {
        remark(error.what());
        status = status_failed;
    };
    std::vector<std::unique_ptr<TreeFileInWork>> files;
    for (const std::string& path : paths)
        try {
            if (is_trace_file(path)) {
                TraceInWork trace(path, request);
                const std::string written = trace.write(request);
                if (!quiet)
                    report(trace, written);
                if (removes)
                    trace.file().remove();
                continue;
            }
            auto file = std::make_unique<TreeFileInWork>(path, request);
            if (file->has_profile()) {
                files.push_back(std::move(file));
                continue;
            }
            if (!quiet)
                show("{}: the process {}\n", path,
                     file->record().state == ProcessState::written
                         ? "has written its profile itself"
                         : "had not recorded any calls");
            if (removes)
                file->remove_file();
        } catch (const std::exception& error) {
            // The process that requested a snapshot may have ended in the meantime, with a profile.
            const bool asked = request.asking_process && request.occasion == Occasion::snapshot;
            if (!asked || access(path.c_str(), F_OK) == 0)
                complain(error);
        }
    for (const Job& job : jobs_of(files))
        try {
            const WrittenFiles written = write_job(job, request);
            if (!quiet)
                report(job, written, request);
            if (request.asking_process && request.occasion == Occasion::end)
                report_for_process(*job.front(), written);
            for (const std::string& problem : written.problems)
                complain(std::runtime_error(problem));
            for (const TreeFileInWork* file : job)
                if (removes)
                    file->remove_file();
        } catch (const std::exception& error) {
            complain(error);
        }
    return status;
}

void check_output_directory(const std::string& directory) {
    if (!directory.empty() && !std::filesystem::is_directory(directory))
        throw CommandError(fmt::format("{}: no such directory", directory));
}

std::string configured_tree_directory() {
    Findings findings;  // `vftrace config check` reports them
    return read_configuration(findings).options.tree_file_directory.value_or("");
}

}  // namespace vftrace::tools
