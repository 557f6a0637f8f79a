// End of the run: from the trees of all threads to the files.
#include <climits>
#include <cstring>
#include <optional>
#include <unistd.h>

#include "base/floating_point.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "collate/collect.hpp"
#include "collate/function_names.hpp"
#include "collate/merge_details.hpp"
#include "collate/mpi_communicator.hpp"
#include "collate/rank_collation.hpp"
#include "config/rank_list.hpp"
#include "lifecycle/output_names.hpp"
#include "lifecycle/run.hpp"
#include "mpi/session.hpp"
#include "overhead/hook_cost.hpp"
#include "profile/display_names.hpp"
#include "profile/profile_json.hpp"
#include "report/report_options.hpp"
#include "report/text_log.hpp"
#include "tree/call_tree.hpp"
#include "tree/registry.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

LogFailure first_of(LogFailure earlier, LogFailure later) {
    return earlier.error ? earlier : later;
}

void fill_run_information(RunInfo& info, double ns_per_tick, std::uint64_t end_ticks) {
    char host[HOST_NAME_MAX + 1] = {};
    gethostname(host, sizeof host - 1);
    info.host = host;
    info.application = run->application;
    info.command_line = run->command_line;
    info.pid = getpid();
    info.start_unix_ns = run->start_unix_ns;
    info.end_unix_ns = unix_time_ns();
    if (run->start.ticks)  // else nothing was ever recorded
        info.runtime_ns = static_cast<std::int64_t>(
            static_cast<double>(end_ticks - run->start.ticks) * ns_per_tick);
    info.config_source = run->configuration.source;
    info.config_text = run->config_text;
    info.uses_mpi = mpi_process.used;
    info.rank = static_cast<std::uint32_t>(mpi_process.rank);
    info.ranks = static_cast<std::uint32_t>(mpi_process.size);
}

// This process's line in the list of ranks.
RankFigures figures_of(const Profile& profile) {
    const RunInfo& info = profile.run;
    RankFigures figures;
    figures.rank = info.rank;
    figures.host = info.host;
    figures.pid = info.pid;
    figures.threads = info.threads;
    figures.runtime_ns = info.runtime_ns;
    figures.overhead_ns = info.overhead_ns();
    figures.memory_bytes = info.memory_bytes;
    for (const Path& path : profile.paths) {
        figures.calls += path.calls;
        if (profile.functions[path.function].kind == FunctionKind::mpi)
            figures.mpi_ns += path.exclusive_ns;
    }
    return figures;
}

// Length of a tick of the run's clock.
double tick_ns() {
    return tree_settings.processor_ticks && run->start.ticks ? nanoseconds_per_tick(run->start)
                                                             : 1.0;
}

// The profile of this process, but for source lines.
Profile own_profile() {
    std::uint64_t end_ticks = tree_ticks();
    double ns_per_tick = tick_ns();
    Profile profile;
    fill_run_information(profile.run, ns_per_tick, end_ticks);
    bool uses_mpi = profile.run.uses_mpi;
    collect_profile(profile,
                    {.end_ticks = end_ticks,
                     .ns_per_tick = ns_per_tick,
                     .hook_pair_ns = measure_hook_pair_ns(ns_per_tick),
                     .mpi_wrapper_ns = uses_mpi ? measure_mpi_wrapper_ns(ns_per_tick) : 0.0});
    if (uses_mpi)
        profile.ranks.push_back(figures_of(profile));
    const Options& options = run->configuration.options;
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    return profile;
}

bool own_log_wanted() {
    std::optional<RankList> ranks = RankList::parse(run->configuration.options.logfile_for_ranks);
    return ranks && ranks->contains(mpi_process.rank);
}

// A full disk fails all files; one line is enough.
void tell(const LogFailure& failure) {
    if (failure.error)
        message("cannot write %s: %s", failure.path.c_str(), std::strerror(failure.error));
}

LogFailure write_json(Profile& profile, const std::string& path) {
    const Options& options = run->configuration.options;
    if (!options.json)
        return {};
    if (options.source_lines)
        look_up_source_lines(profile);
    return {write_profile_json(profile, path), path};
}

// The files of a whole run: of a program without MPI, or of all its ranks.
void write_run(Profile& profile, const std::string& base) {
    LogFailure failure = write_all_logs(profile, report_options(run->configuration.options), base);
    tell(first_of(failure, write_json(profile, base + "all.json")));
}

// The files of one rank of a run whose ranks cannot be put together.
void write_rank_alone(Profile& profile, const char* why) {
    profile.run.warnings.push_back(
        format("%s: this profile is of rank %u alone.", why, profile.run.rank));
    std::string rank = rank_text(profile.run);
    std::string base =
        claim_output_base(own_output_base() + "_", rank + ".log", run->library_start_unix_ns);
    LogFailure failure = write_rank_log(profile, report_options(run->configuration.options), base);
    tell(first_of(failure, write_json(profile, base + rank + ".json")));
}

// Threads alone are nothing: launchers have them too.
bool anything_recorded() {
    for (const ThreadState* state = first_thread_state(); state; state = state->next)
        for (const Node* node = state->record->root; node;
             node = __atomic_load_n(&node->next_created, __ATOMIC_ACQUIRE))
            if (node->kind != NodeKind::root && node->kind != NodeKind::thread &&
                node->kind != NodeKind::graft)
                return true;
    return false;
}

void write_process(void* why_alone) {
    // Launchers and shells under `vftrace run` are not the program: they leave no file behind.
    if (!anything_recorded())
        return;
    CLocale decimal_points;
    Profile profile = own_profile();
    tell_incidents(profile.run);
    if (mpi_process.used)
        return write_rank_alone(profile, static_cast<const char*>(why_alone));
    std::string base = claim_output_base(own_output_base() + task_suffix() + "_", "all.log",
                                         run->library_start_unix_ns);
    write_run(profile, base);
    if (own_log_wanted())
        tell(write_rank_log(profile, report_options(run->configuration.options), base));
}

void make_own_profile(void* own) { *static_cast<Profile*>(own) = own_profile(); }

// What is left of this process's profile if there is no memory for it: that it is missing.
void make_missing_profile(void* missing) {
    Profile& profile = *static_cast<Profile*>(missing);
    fill_run_information(profile.run, tick_ns(), tree_ticks());
    profile.run.warnings.push_back("There was not enough memory for a profile: calls are missing.");
    profile.ranks.push_back(figures_of(profile));
    add_root(profile);
}

void collate_and_write(void* communicator) {
    auto& world = *static_cast<MpiCommunicator*>(communicator);
    CLocale decimal_points;
    bool off = run->configuration.options.off;
    Profile own;
    if (!run_guarded(make_own_profile, &own))
        run_guarded(make_missing_profile, &own);
    Profile job;
    bool together = false;
    if (world.usable()) {
        RankCollation collation(world);
        collation.gather(own, job, !off && own_log_wanted());
        together = collation.spread(own);
    }
    if (off)
        return;
    tell_incidents(own.run);
    if (!together)
        return write_rank_alone(own, "The profiles of the ranks could not be sent to rank 0");
    const std::string unclaimed = own_output_base() + "_";
    std::string base;
    if (mpi_process.rank == 0) {
        const Options& options = run->configuration.options;
        set_display_names(job.functions, options.demangle_cxx, options.strip_module_names);
        base = claim_output_base(unclaimed, "all.log", run->library_start_unix_ns);
        write_run(job, base);
    } else if (own_log_wanted()) {
        base =
            claim_output_base(unclaimed, rank_text(own.run) + ".log", run->library_start_unix_ns);
    }
    if (own_log_wanted())
        tell(write_rank_log(own, report_options(run->configuration.options), base));
}

// All ranks come here, those too where profiling is off: the others wait for them.
void write_job() {
    MpiCommunicator world(run->configuration.options.mpi_collation_timeout);
    run_guarded(collate_and_write, &world);
    if (world.usable())
        world.rest_until_all_are_done();
}

const char* why_alone(EndOfRun how) {
    if (how == EndOfRun::mpi_abort)
        return "The program called MPI_Abort";
    return mpi_process.sessions ? "MPI was used through sessions" : "MPI_Finalize was not called";
}

}  // namespace

void finish_run(EndOfRun how) {
    if (!run || run_phase == RunPhase::over)
        return;
    if (how == EndOfRun::mpi_finalize)
        ensure_record();  // the other ranks wait for this one, whether it has recorded or not
    // A child of fork() or vfork() that ends is not the end of the run.
    bool ours = process_record && process_record->pid == getpid();
    bool recording = run_phase == RunPhase::recording && ours;
    if (!recording && how != EndOfRun::mpi_finalize)
        return;
    run_phase = RunPhase::over;
    if (ours) {
        process_record->state = ProcessState::writing;
        if (own_thread_state)
            close_all_frames(own_thread_state);
    }
    stop_recording();
    HeldFloatingPointTraps held;
    note_names_of_running_threads();
    if (how == EndOfRun::mpi_finalize)
        write_job();
    else
        run_guarded(write_process, const_cast<char*>(why_alone(how)));
    remove_tree_file();
}

// Runs after the destructors of the program and of the libraries that need this one.
[[gnu::destructor(101)]] static void library_destructor() { finish_run(EndOfRun::process_exit); }

}  // namespace vftrace
