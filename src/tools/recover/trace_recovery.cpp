#include "recover/trace_recovery.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "collate/collect.hpp"
#include "config/config.hpp"
#include "profile/display_names.hpp"
#include "recover/process_clock.hpp"
#include "recover/recovered_profile.hpp"
#include "recover/running_process.hpp"
#include "report/text_log.hpp"

namespace vftrace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view trace_suffix = ".tmpvfd";

bool is_of_this_host(const ProcessRecord& record) {
    char own_host[HOST_NAME_MAX + 1] = {};
    gethostname(own_host, sizeof own_host - 1);
    return std::string_view(record.host) == own_host;
}

// A trace does not contain the start time of its process, but that of recording: a process with its
// number that was started later is a different one.
bool still_traces(const ProcessRecord& record) {
    return is_of_this_host(record) && runs_since(record.pid, record.start_unix_ns);
}

// The data about the process that a vfd file needs.
Profile profile_of(TracedProcess& process, const ProcessClock& clock, PathsOfNodes& nodes) {
    const ProcessRecord& record = process.record();
    const Options options = options_of(record);
    Profile profile;
    set_run_information(profile.run, record, clock, options);
    profile.run.config_text = record.config_text;
    collect_profile(profile, record,
                    {.end_ticks = clock.end_ticks(),
                     .ns_per_tick = clock.ns_per_tick(),
                     .source_lines = options.source_lines,
                     .nodes = &nodes});
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    return profile;
}

}  // namespace

TraceInWork::TraceInWork(std::string path, const RecoveryRequest& request)
    : file_(std::move(path), request) {
    const std::string& name = file_.path();
    if (!reader_.open(file_.descriptor()))
        throw TreeFileError(fmt::format("{}: {}", name, reader_.error()));
    process_ = std::make_unique<TracedProcess>(reader_);
    if (!process_->is_known())
        throw TreeFileError(
            fmt::format("{}: does not identify its process, so it is damaged", name));
    if (request.asking_process != record().pid && still_traces(record()))
        throw TreeFileError(fmt::format("{}: process {} is still running", name, record().pid));
}

bool TraceInWork::is_of(const ProcessRecord& process) const {
    return record().pid == process.pid && record().start_unix_ns == process.start_unix_ns;
}

std::string TraceInWork::write(const ClaimedBase& base) {
    const ProcessClock clock(record(), process_->latest_ticks(), false);
    process_->count_events(clock.end_ticks());
    PathsOfNodes nodes;
    const Profile profile = profile_of(*process_, clock, nodes);
    nodes = process_->in_trace(nodes);
    VfdConversion conversion;
    conversion.trace_file = file_.path();
    conversion.trace_descriptor = file_.descriptor();
    conversion.vfd_file = base.name() + rank_text(profile.run) + ".vfd";
    conversion.folder = base.folder();
    conversion.profile = &profile;
    conversion.nodes = &nodes;
    conversion.ns_per_tick = clock.ns_per_tick();
    conversion.end_ticks = clock.end_ticks();
    figures_ = convert_to_vfd(conversion);
    const std::string written = conversion.folder.path + conversion.vfd_file;
    if (figures_.bytes == 0)
        throw TreeFileError(
            fmt::format("{}: {} (the trace is kept: {})", written, figures_.error, file_.path()));
    return written;
}

std::string TraceInWork::write(const RecoveryRequest& request) {
    RunInfo run;
    run.rank = record().rank;
    run.ranks = record().ranks;
    return write(ClaimedBase(record(), request, rank_text(run) + ".vfd"));
}

bool is_trace_file(const std::string& path) {
    if (path.ends_with(trace_suffix))
        return true;
    std::error_code error;
    char begin[sizeof chunk_magic] = {};
    if (fs::is_regular_file(path, error))
        std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
    return std::memcmp(begin, chunk_magic, sizeof begin) == 0;
}

std::vector<TreeFile> find_trace_files(const std::vector<std::string>& directories) {
    std::vector<TreeFile> files;
    for (const std::string& directory : directories) {
        std::error_code error;
        for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
             entry.increment(error)) {
            TreeFile file;
            file.path = entry->path().lexically_normal().string();
            if (!file.path.ends_with(trace_suffix) || !describe_own_file(file))
                continue;
            TraceFileReader reader;
            if (!reader.open(file.path)) {
                file.problem = fmt::format("{}: {}", file.path, reader.error());
            } else {
                const TracedProcess process(reader);
                file.pid = process.record().pid;
                file.application = process.record().application;
                file.elsewhere = !is_of_this_host(process.record());
                file.running = still_traces(process.record());
                if (!process.is_known())
                    file.problem = fmt::format("{}: is damaged", file.path);
            }
            files.push_back(std::move(file));
        }
    }
    std::sort(files.begin(), files.end(),
              [](const TreeFile& a, const TreeFile& b) { return a.path < b.path; });
    return files;
}

}  // namespace vftrace
