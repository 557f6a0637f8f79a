#include "attach/sampled_profile.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <unistd.h>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "collate/collect.hpp"
#include "collate/function_names.hpp"
#include "collate/rank_figures.hpp"
#include "config/config.hpp"
#include "profile/display_names.hpp"
#include "recover/claimed_base.hpp"
#include "recover/recovered_profile.hpp"
#include "report/exec_chain.hpp"
#include "report/profile_files.hpp"

namespace vftrace {
namespace {

std::int64_t unix_start_of(const ProcessFacts& facts) {
    constexpr std::int64_t second = 1'000'000'000;
    timespec since_boot;
    clock_gettime(CLOCK_BOOTTIME, &since_boot);
    const auto after_boot =
        static_cast<std::int64_t>(facts.start) * (second / std::max(sysconf(_SC_CLK_TCK), 1L));
    return unix_time_ns() - (since_boot.tv_sec * second + since_boot.tv_nsec - after_boot);
}

void add_notices(RunInfo& run, const FinishedSamples& finished) {
    const SampledProcess& process = *finished.process;
    add_notice(run.notices, {NoticeCode::sampled_from_outside, {}});
    note_count(run.notices, NoticeCode::outside_samples_lost, process.lost());
    note_count(run.notices, NoticeCode::sample_stacks_cut, process.cut());
    note_count(run.notices, NoticeCode::threads_not_sampled, finished.threads_left_out);
}

Profile profile_of(FinishedSamples& finished, const Options& options) {
    SampledProcess& process = *finished.process;
    const ProcessFacts& facts = process.facts();
    const ProcessRecord& record = process.record();
    Profile profile;
    RunInfo& run = profile.run;
    run.host = record.host;
    run.application = record.application;
    run.command_line = record.command_line;
    run.pid = record.pid;
    run.start_unix_ns = record.start_unix_ns;
    run.end_unix_ns = record.end_unix_ns;
    run.runtime_ns = process.sampled_ns();
    run.uses_mpi = record.uses_mpi;
    run.rank = record.rank;
    run.ranks = record.ranks;
    run.config_text = print_configuration(options);
    run.ended = finished.end == SampleEnd::exec ? exec_end_text(record.pid) : "";
    run.snapshot = finished.end == SampleEnd::requested;

    const ModuleTable modules = record.modules;
    CodeFiles files(modules, "");
    for (std::uint16_t i = 0; i < modules.count; i++)
        if (const ModuleFile& file = process.code().file_of(i); file.is_open())
            files.set_path(i, file.readable_path());
    CollectSettings settings;
    settings.end_ticks = record.end_ticks;
    settings.source_lines = options.source_lines;
    settings.files = &files;
    settings.perf_map = {perf_map_path(facts.pid), facts.owner, unix_start_of(facts)};
    collect_profile(profile, record, settings);
    run.overhead.clear();  // there is nothing in the process that could cost anything
    run.delay_ns = -1;
    add_notices(run, finished);
    if (run.uses_mpi)
        profile.ranks.push_back(rank_figures(profile));
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    if (options.json && options.source_lines)
        look_up_source_lines(profile, files);
    return profile;
}

}  // namespace

std::vector<SampledJob> jobs_of(std::vector<FinishedSamples>& finished) {
    std::vector<SampledJob> jobs;
    for (FinishedSamples& each : finished) {
        auto job = std::find_if(jobs.begin(), jobs.end(), [&each](const SampledJob& candidate) {
            return std::all_of(candidate.begin(), candidate.end(), [&each](const auto* other) {
                return are_of_one_job(other->process->facts(), each.process->facts());
            });
        });
        if (job == jobs.end())
            job = jobs.insert(job, SampledJob());
        job->push_back(&each);
    }
    for (SampledJob& job : jobs)
        std::sort(job.begin(), job.end(), [](const auto* a, const auto* b) {
            return a->process->facts().rank < b->process->facts().rank;
        });
    return jobs;
}

std::vector<std::string> write_sampled_job(const SampledJob& job, const Options& options,
                                           const std::string& directory) {
    std::vector<Profile> profiles;
    for (FinishedSamples* finished : job)
        profiles.push_back(profile_of(*finished, options));
    Profile& first = profiles.front();
    const bool is_one_rank = job.size() == 1 && first.run.uses_mpi;
    if (job.size() > 1) {
        std::vector<Profile*> ranks;
        for (Profile& profile : profiles)
            ranks.push_back(&profile);
        Profile merged = merged_profile(ranks, options);
        merged.run.snapshot = first.run.snapshot;
        first = std::move(merged);
    }
    ProcessRecord record = job.front()->process->record();
    const std::string name = first.run.application + "_sample";
    record.output_base = name.c_str();
    RecoveryRequest request;
    request.output_directory = directory;
    const ClaimedBase base(record, request,
                           is_one_rank ? rank_text(first.run) + ".log" : "all.log");
    base.note_in(first);
    NewFiles files = base.files();
    if (is_one_rank)
        write_rank_files(first, options, base.name(), files);
    else
        write_run_files(first, options, base.name(), files);
    return publish(files);
}

}  // namespace vftrace
