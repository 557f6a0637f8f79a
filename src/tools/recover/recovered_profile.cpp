#include "recover/recovered_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "collate/collect.hpp"
#include "collate/counter_figures.hpp"
#include "collate/function_names.hpp"
#include "collate/heap_sites.hpp"
#include "collate/merge_details.hpp"
#include "collate/profile_merger.hpp"
#include "collate/profile_message.hpp"
#include "collate/rank_figures.hpp"
#include "collate/rank_values.hpp"
#include "collate/section_figures.hpp"
#include "collate/stids.hpp"
#include "collate/unused_paths.hpp"
#include "config/config.hpp"
#include "config/json_reader.hpp"
#include "profile/display_names.hpp"
#include "readers/rank_endings.hpp"
#include "recover/process_clock.hpp"
#include "recover/running_process.hpp"
#include "report/exec_chain.hpp"

namespace vftrace {
namespace {

// For RunInfo::ended.
std::string how_it_ended(const ProcessRecord& record, Occasion occasion) {
    if (occasion == Occasion::snapshot)
        return "";
    if (occasion == Occasion::exec)
        return exec_end_text(record.pid);
    switch (record.state) {
    case ProcessState::signal: {
        const char* description = sigdescr_np(record.end_code);
        return fmt::format("signal {}{}", record.end_code,
                           description ? fmt::format(" ({})", description) : "");
    }
    case ProcessState::exit_call:
        return fmt::format("_exit with status {}", record.end_code);
    case ProcessState::written:
    case ProcessState::unwritten:
        return "";
    case ProcessState::writing:
        return "SIGKILL or a machine failure, while it was writing its profile";
    default:
        return "SIGKILL or a machine failure";
    }
}

void add_notices(Profile& profile, const RecoveredProcess& process, Occasion occasion,
                 bool rate_is_known) {
    std::vector<Notice>& notices = profile.run.notices;
    if (!rate_is_known)
        add_notice(notices, {NoticeCode::clock_rate_unknown, {}});
    if (process.counts_from_mark())
        add_notice(notices, {NoticeCode::since_mark, {}});
    if (process.record().incomplete)
        add_notice(notices, {NoticeCode::tree_file_full, {}});
    else if (occasion == Occasion::end)
        note_count(notices, NoticeCode::tree_file_damaged, process.left_out());
    if (process.record().threads_went_on)
        add_notice(notices, {NoticeCode::threads_not_stopped, {}});
}

// The list of generated functions that the process has written, if it was not written later by
// another process with its number.
PerfMapFile perf_map_of(const ProcessRecord& record, uid_t owner, const std::string& folder,
                        std::int64_t end_unix_ns) {
    constexpr std::int64_t latest_writing_ns = 10'000'000'000;  // after the last sign of life
    PerfMapFile file{perf_map_path(record.pid), owner, record.library_start_unix_ns};
    if (folder.empty())
        file.not_after_unix_ns = end_unix_ns + latest_writing_ns;
    return file;
}

}  // namespace

Options options_of(const ProcessRecord& record) {
    Options options;
    Findings findings;  // reported by the process itself
    read_options_from_text(record.config_text, options, findings);
    return options;
}

void set_run_information(RunInfo& run, const ProcessRecord& record, const ProcessClock& clock,
                         const Options& options) {
    run.host = record.host;
    run.application = record.application;
    run.command_line = record.command_line;
    run.pid = record.pid;
    run.start_unix_ns = record.start_unix_ns;
    run.end_unix_ns = clock.end_unix_ns();
    run.runtime_ns = clock.run_time_ns();
    run.config_source = record.config_source;
    run.uses_mpi = record.uses_mpi;
    run.rank = record.rank;
    run.ranks = record.ranks;
    set_counter_information(run, options);
}

Profile recovered_profile(RecoveredProcess& process, Occasion occasion, uid_t owner) {
    if (occasion != Occasion::end)
        process.set_processor_time(processor_ns_of(process.record().pid));
    const ProcessRecord& record = process.record();
    const Options options = options_of(record);
    const ProcessClock clock(record, process.latest_ticks(), occasion != Occasion::end);
    process.limit_times(clock.longest_possible());

    Profile profile;
    RunInfo& run = profile.run;
    set_run_information(run, record, clock, options);
    run.config_text = print_configuration(options);
    run.ended = how_it_ended(record, occasion);
    run.snapshot = occasion == Occasion::snapshot;

    const double ns_per_tick = clock.ns_per_tick();
    // A process may wait until this one has recovered its profile.
    const std::string folder = still_runs(record) ? fmt::format("/proc/{}", record.pid) : "";
    collect_profile(profile, record,
                    {.end_ticks = clock.end_ticks(),
                     .ns_per_tick = ns_per_tick,
                     .calibration = {record.hook_costs, least_uncertainty},
                     .corrected = options.overhead_corrected,
                     .source_lines = options.source_lines,
                     .memory_bytes = record.file_bytes,
                     .process_folder = folder,
                     .perf_map = perf_map_of(record, owner, folder, clock.end_unix_ns())});
    if (process.counts_from_mark()) {
        run.paused_ns = std::max<std::int64_t>(
            run.paused_ns -
                saturated_ns(static_cast<double>(process.paused_before_mark()), ns_per_tick),
            0);
        drop_untouched_paths(profile);
        set_stids(profile);
    }
    add_notices(profile, process, occasion, clock.rate_is_known());
    if (run.uses_mpi) {
        profile.ranks.push_back(rank_figures(profile));
        note_sections_of_rank(profile);
    }
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    CodeFiles files(record.modules, folder);
    if (options.json && options.source_lines) {
        look_up_source_lines(profile, files);
        look_up_heap_lines(profile, files);
    }
    return profile;
}

Profile merged_profile(const std::vector<Profile*>& profiles, const Options& options) {
    ProfileMerger merger;
    std::vector<std::vector<std::uint32_t>> path_of(profiles.size());
    std::vector<std::uint32_t> ranks_here;
    for (std::size_t i = 0; i < profiles.size(); i++) {
        const Profile& profile = *profiles[i];
        const std::uint32_t rank = profile.run.rank;
        ranks_here.push_back(rank);
        merger.add(encode_profile(profile, details_of(profile), rank, false), path_of[i]);
    }
    const RunInfo& lowest = profiles.front()->run;
    const std::vector<std::uint32_t> folded = merger.fold_filtered();
    for (std::vector<std::uint32_t>& paths : path_of)
        for (std::uint32_t& path : paths)
            path = folded[path];
    Profile job = merger.finish(lowest, static_cast<std::uint32_t>(profiles.size()));
    job.run.ranks = lowest.ranks;
    job.run.ended = how_they_ended({profiles.begin(), profiles.end()}, "normal termination");
    note_missing_ranks(job.run, ranks_here, NoticeCode::ranks_without_tree_file);
    std::vector<ProfileOfRank> ranks;
    for (std::size_t i = 0; i < profiles.size(); i++)
        ranks.push_back({*profiles[i], path_of[i]});
    add_rank_values(job, ranks, static_cast<std::uint32_t>(options.json_values_by_rank));
    set_stids(job);
    set_display_names(job.functions, options.demangle_cxx, options.strip_module_names);
    for (std::size_t i = 0; i < profiles.size(); i++)
        for (std::size_t path = 0; path < path_of[i].size(); path++)
            profiles[i]->paths[path].stid = job.paths[path_of[i][path]].stid;
    return job;
}

}  // namespace vftrace
