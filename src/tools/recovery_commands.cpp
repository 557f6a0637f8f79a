// What `vftrace recover` and `vftrace snapshot` share.
#include "tools/recovery_commands.hpp"

#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "config/config.hpp"
#include "tools/commands.hpp"

namespace vftrace::tools {
namespace {

void tell(const Job& job, const WrittenFiles& written, const RecoveryRequest& request) {
    std::vector<std::int64_t> pids;
    for (const TreeFileInWork* file : job)
        pids.push_back(file->record().pid);
    const RunInfo& run = job.front()->profile().run;
    fmt::print("{} (process{} {}){}{}:\n", run.application, pids.size() == 1 ? "" : "es",
               fmt::join(pids, ", "),
               request.occasion == Occasion::snapshot ? ", still running" : ", ended by ",
               run.ended);
    for (const std::string& path : written.paths)
        fmt::print("  {}\n", path);
}

void tell(const TraceInWork& trace, const std::string& written) {
    const VfdFigures& figures = trace.figures();
    fmt::print("{} (process {}):\n  {}\n", trace.record().application, trace.record().pid, written);
    if (figures.damaged_chunks > 0)
        fmt::print("  {} piece{} of the trace could not be read: events may be missing\n",
                   figures.damaged_chunks, figures.damaged_chunks == 1 ? "" : "s");
    if (figures.dropped_events > 0)
        fmt::print("  {} events were dropped by the process\n", figures.dropped_events);
    if (figures.dropped_work > 0)
        fmt::print("  {} pieces of work of GPUs were dropped by the process\n",
                   figures.dropped_work);
    if (!figures.error.empty())
        fmt::print("  {}\n", figures.error);
}

}  // namespace

int write_profiles(const std::vector<std::string>& paths, const RecoveryRequest& request,
                   bool removes, bool quiet) {
    int status = status_ok;
    auto complain = [&](const std::exception& error) {
        fmt::print(stderr, "vftrace: {}\n", error.what());
        status = status_failed;
    };
    std::vector<std::unique_ptr<TreeFileInWork>> files;
    for (const std::string& path : paths)
        try {
            if (is_trace_file(path)) {
                TraceInWork trace(path, request);
                const std::string written = trace.write(request);
                if (!quiet)
                    tell(trace, written);
                if (removes)
                    trace.remove_file();
                continue;
            }
            auto file = std::make_unique<TreeFileInWork>(path, request);
            if (file->has_profile()) {
                files.push_back(std::move(file));
                continue;
            }
            if (!quiet)
                fmt::print("{}: the process had called nothing that is instrumented\n", path);
            if (removes)
                file->remove_file();
        } catch (const std::exception& error) {
            complain(error);
        }
    for (const Job& job : jobs_of(files))
        try {
            const WrittenFiles written = write_job(job, request);
            if (!quiet)
                tell(job, written, request);
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
        throw CommandError(fmt::format("{}: there is no such directory", directory));
}

std::string configured_tree_directory() {
    Findings findings;  // `vftrace config check` is there to tell them
    return read_configuration(findings).options.tree_file_directory.value_or("");
}

}  // namespace vftrace::tools
