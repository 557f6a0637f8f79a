// End of the run: from the trees of all threads to the files.
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "base/floating_point.hpp"
#include "base/guarded.hpp"
#include "base/held_cancellation.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "collate/collect.hpp"
#include "collate/counter_figures.hpp"
#include "collate/function_names.hpp"
#include "collate/merge_details.hpp"
#include "collate/mpi_communicator.hpp"
#include "collate/rank_collation.hpp"
#include "collate/rank_figures.hpp"
#include "collate/trace_clocks.hpp"
#include "counters/thread_counters.hpp"
#include "gpu/gpu.hpp"
#include "lifecycle/end_of_process.hpp"
#include "lifecycle/output_names.hpp"
#include "lifecycle/overhead.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/signals.hpp"
#include "lifecycle/tracing.hpp"
#include "mpi/requests.hpp"
#include "mpi/session.hpp"
#include "overhead/hook_cost.hpp"
#include "profile/display_names.hpp"
#include "report/profile_files.hpp"
#include "report/report_options.hpp"
#include "report/text_log.hpp"
#include "trace/trace_writer.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/registry.hpp"
#include "tree/thread_names.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

void fill_run_information(RunInfo& info, double ns_per_tick, std::uint64_t end_ticks) {
    info.host = run->host;
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
    if (process_record)  // else nothing was read
        set_counter_information(info, run->configuration.options);
    info.uses_mpi = mpi_process.used;
    info.rank = static_cast<std::uint32_t>(mpi_process.rank);
    info.ranks = static_cast<std::uint32_t>(mpi_process.size);
}

std::string visible_gpus() {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    return visible ? visible : "all";
}

// Length of a tick of the run's clock.
double tick_ns() {
    return tree_settings.processor_ticks && run->start.ticks ? nanoseconds_per_tick(run->start)
                                                             : 1.0;
}

// What this process has measured.
struct OwnResult {
    Profile profile;  // but for source lines
    EndOfTrace trace;
};

OwnResult own_result(const std::vector<CodePlace>& filtered_elsewhere) {
    OwnResult result;
    std::uint64_t end_ticks = tree_ticks();
    double ns_per_tick = tick_ns();
    Profile& profile = result.profile;
    result.trace.ns_per_tick = ns_per_tick;
    result.trace.end_ticks = end_ticks;
    fill_run_information(profile.run, ns_per_tick, end_ticks);
    bool uses_mpi = profile.run.uses_mpi;
    collect_profile(profile, *process_record,
                    {.end_ticks = end_ticks,
                     .ns_per_tick = ns_per_tick,
                     .calibration = final_calibration(*process_record, ns_per_tick, profile.run),
                     .corrected = run->configuration.options.overhead_corrected,
                     .filtered = filtered_elsewhere,
                     .source_lines = run->configuration.options.source_lines,
                     .memory_bytes = tree_memory_bytes(),
                     .requests = request_counts(),
                     .visible_gpus = visible_gpus(),
                     .nodes = trace_settings.active ? &result.trace.nodes : nullptr});
    note_trace_losses(profile.run, ns_per_tick);
    if (uses_mpi)
        profile.ranks.push_back(rank_figures(profile));
    const Options& options = run->configuration.options;
    set_display_names(profile.functions, options.demangle_cxx, options.strip_module_names);
    return result;
}

bool own_log_wanted() {
    return rank_log_wanted(run->configuration.options,
                           static_cast<std::uint32_t>(mpi_process.rank));
}

// A full disk fails all files; one line is enough.
void tell(const LogFailure& failure) {
    if (failure.error)
        message("cannot write %s: %s", failure.path.c_str(), std::strerror(failure.error));
}

void add_source_lines(Profile& profile) {
    const Options& options = run->configuration.options;
    if (options.json && options.source_lines)
        look_up_source_lines(profile);
}

std::string claim_base(const std::string& base, const std::string& first_file) {
    return claim_output_base(base, first_file, run->library_start_unix_ns, getpid());
}

// The files of a whole run: of a program without MPI, or of all its ranks.
void write_run(Profile& profile, const std::string& base) {
    add_source_lines(profile);
    tell(write_run_files(profile, run->configuration.options, base));
}

// The files of one rank of a run whose ranks cannot be put together.
void write_rank_alone(OwnResult& own, const char* why) {
    Profile& profile = own.profile;
    profile.run.warnings.push_back(
        format("%s: this profile is of rank %u alone.", why, profile.run.rank));
    std::string base = claim_base(own_output_base() + "_", rank_text(profile.run) + ".log");
    add_source_lines(profile);
    tell(write_rank_files(profile, run->configuration.options, base));
    write_vfd(profile, own.trace, base);
}

void write_process(void* why_alone) {
    // Launchers and shells under `vftrace run` are not the program: they leave no file behind.
    if (!anything_recorded(*process_record))
        return;
    CLocale decimal_points;
    OwnResult own = own_result({});
    Profile& profile = own.profile;
    tell_incidents(profile.run);
    if (mpi_process.used)
        return write_rank_alone(own, static_cast<const char*>(why_alone));
    std::string base = claim_base(own_output_base() + run->task_suffix + "_", "all.log");
    write_run(profile, base);
    if (own_log_wanted())
        tell(write_rank_log(profile, report_options(run->configuration.options), base));
    write_vfd(profile, own.trace, base);
}

struct OwnOfJob {
    OwnResult result;
    std::vector<CodePlace> filtered;  // on any rank
};

void make_own_result(void* own) {
    auto& of_job = *static_cast<OwnOfJob*>(own);
    of_job.result = own_result(of_job.filtered);
}

// All ranks of the job take part, those too that have nothing to say.
void share_filtered(void* communicator_and_own) {
    auto& [world, own] =
        *static_cast<std::pair<MpiCommunicator&, OwnOfJob&>*>(communicator_and_own);
    own.filtered = filtered_on_any_rank(world, process_record ? filtered_places(*process_record)
                                                              : std::vector<CodePlace>{});
}

// What is left of this process's profile if there is no memory for it: that it is missing.
void make_missing_profile(void* missing) {
    Profile& profile = *static_cast<Profile*>(missing);
    fill_run_information(profile.run, tick_ns(), tree_ticks());
    profile.run.warnings.push_back("There was not enough memory for a profile: calls are missing.");
    profile.ranks.push_back(rank_figures(profile));
    add_root(profile);
}

void collate_and_write(void* communicator) {
    auto& world = *static_cast<MpiCommunicator*>(communicator);
    CLocale decimal_points;
    bool off = run->configuration.options.off;
    OwnOfJob of_job;
    if (world.usable()) {
        std::pair<MpiCommunicator&, OwnOfJob&> both{world, of_job};
        run_guarded(share_filtered, &both);
    }
    OwnResult& result = of_job.result;
    Profile& own = result.profile;
    if (!process_record)
        add_root(own);  // switched off
    else if (!run_guarded(make_own_result, &of_job))
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
        return write_rank_alone(result, "The profiles of the ranks could not be sent to rank 0");
    const std::string unclaimed = own_output_base() + "_";
    std::string base;
    if (mpi_process.rank == 0) {
        const Options& options = run->configuration.options;
        set_display_names(job.functions, options.demangle_cxx, options.strip_module_names);
        base = claim_base(unclaimed, "all.log");
        write_run(job, base);
    } else if (own_log_wanted() || trace_file_path()) {
        base = claim_base(unclaimed, rank_text(own.run) + (own_log_wanted() ? ".log" : ".vfd"));
    }
    if (own_log_wanted())
        tell(write_rank_log(own, report_options(run->configuration.options), base));
    write_vfd(own, result.trace, base);
}

// All ranks come here, those too where profiling is off: the others wait for them.
void write_job() {
    MpiCommunicator world(run->configuration.options.mpi_collation_timeout);
    if (world.usable() && world.any_traced())
        measure_trace_clocks_at_end(world);
    end_trace();
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
    wait_if_dying();
    HeldCancellation held_cancellation;
    run_phase = RunPhase::over;
    if (ours) {
        process_record->state = ProcessState::writing;
        if (own_thread_state)
            close_all_frames(own_thread_state);
    }
    stop_recording();
    if (ours) {
        finish_gpu();
        book_open_calls_of_other_threads(own_thread_state);
        if (own_thread_state)
            end_thread_counters(*own_thread_state);
        if (how != EndOfRun::mpi_finalize)
            end_trace();
    }
    HeldFloatingPointTraps held;
    note_names_of_running_threads();
    if (how == EndOfRun::mpi_finalize)
        write_job();
    else
        run_guarded(write_process, const_cast<char*>(why_alone(how)));
    remove_tree_file();
    if (ours)
        stop_signals();
}

// Runs after the destructors of the program and of the libraries that need this one.
[[gnu::destructor(101)]] static void library_destructor() { finish_run(EndOfRun::process_exit); }

}  // namespace vftrace
