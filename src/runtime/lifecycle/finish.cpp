// End of the run: turns the trees of all threads into files.
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

#include "base/directories.hpp"
#include "base/guarded.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "collate/collect.hpp"
#include "collate/counter_figures.hpp"
#include "collate/function_names.hpp"
#include "collate/heap_sites.hpp"
#include "collate/merge_details.hpp"
#include "collate/rank_collation.hpp"
#include "collate/rank_figures.hpp"
#include "guest/floating_point.hpp"
#include "guest/held_cancellation.hpp"
#include "guest/own_stack.hpp"
#include "guest/seccomp.hpp"
#include "guest/spare_descriptors.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/cost_of_measuring.hpp"
#include "lifecycle/end_message.hpp"
#include "lifecycle/output_names.hpp"
#include "lifecycle/own_result.hpp"
#include "lifecycle/patterns.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/shared_run_folder.hpp"
#include "lifecycle/signals.hpp"
#include "lifecycle/start_sampling.hpp"
#include "lifecycle/tracing.hpp"
#include "lifecycle/watchdog.hpp"
#include "mpi/mpi_state.hpp"
#include "mpi/requests.hpp"
#include "overhead/hook_cost.hpp"
#include "patch/hook_calls.hpp"
#include "profile/display_names.hpp"
#include "ranks/mpi_communicator.hpp"
#include "ranks/trace_clocks.hpp"
#include "report/kept_profile.hpp"
#include "report/profile_files.hpp"
#include "report/report_options.hpp"
#include "report/text_log.hpp"
#include "service/service_thread.hpp"
#include "trace/trace_writer.hpp"
#include "tree/call_tree.hpp"
#include "tree/event_buffer.hpp"
#include "tree/own_record.hpp"
#include "tree/registry.hpp"
#include "tree/source.hpp"
#include "tree/thread_names.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

bool own_log_wanted() {
    return rank_log_wanted(run->configuration.options,
                           static_cast<std::uint32_t>(mpi_process.rank));
}

// The first file that could not be written. If the disk is full, all of them fail; one line is
// enough.
FileFailure* failed;

void publish(NewFiles& files) {
    const FileFailure& failure = files.publish();
    if (failure.error && !failed)
        failed = new FileFailure(failure);
}

void add_source_lines(Profile& profile, CodeFiles* own) {
    const Options& options = run->configuration.options;
    static constexpr ModuleTable none{};
    CodeFiles no_files(none, own_process_folder);
    if (options.json && options.source_lines) {
        look_up_source_lines(profile, own ? *own : no_files);
        look_up_heap_lines(profile, own ? *own : no_files);
    }
}

// The beginning of the names of this process's files. If the directory is missing, it is created
// now: a program that creates it itself has had time to do so.
class OwnBase {
  public:
    OwnBase(const std::string& base, const std::string& first_file)
        : unclaimed_(base), first_file_(first_file) {
        if (run->directory_is_missing)
            make_directories(directory_of(base));
        make_own_run_folder();
        text_ = claim_output_base(
            base, first_file, run->library_start_unix_ns,
            {process_record ? static_cast<pid_t>(process_record->pid) : getpid(),
             process_record ? process_record->process_start : 0, run->start_unix_ns});
    }
    ~OwnBase() { give_output_base_back(text_, first_file_); }
    OwnBase(const OwnBase&) = delete;
    OwnBase& operator=(const OwnBase&) = delete;
    const std::string& text() const { return text_; }
    // Has the profile say so if the usual names are those of another process.
    void note_in(Profile& profile) const {
        note_taken_names(profile.run.notices, unclaimed_, first_file_, text_);
    }

  private:
    std::string unclaimed_, text_, first_file_;
};

// Writes the files of a whole run: of a program without MPI, or of all its ranks.
void write_run(Profile& profile, CodeFiles* code, const std::string& base, NewFiles& files) {
    add_source_lines(profile, code);
    keep_longer_profile(profile, base);
    write_run_files(profile, run->configuration.options, base, files);
}

// Writes the files of one rank of a run whose ranks cannot be collated.
void write_rank_alone(OwnResult& own, NoticeCode why) {
    Profile& profile = own.profile;
    add_notice(profile.run.notices, {why, {profile.run.rank}});
    const OwnBase base(own_output_base() + "_", rank_text(profile.run) + ".log");
    base.note_in(profile);
    add_source_lines(profile, own.files.get());
    NewFiles files;
    write_rank_files(profile, run->configuration.options, base.text(), files);
    publish(files);
    write_vfd(profile, own.trace, base.text());
}

NoticeCode why_alone(EndOfRun how) {
    if (how == EndOfRun::mpi_abort)
        return NoticeCode::mpi_abort_called;
    return mpi_process.sessions ? NoticeCode::mpi_sessions_used : NoticeCode::finalize_not_called;
}

void write_process(EndOfRun how) {
    // Launchers and shells under `vftrace run` are not the program to be profiled: they do not
    // leave files behind.
    if (!anything_recorded(*process_record))
        return;
    CLocale decimal_points;
    OwnResult own = own_result({});
    Profile& profile = own.profile;
    if (how == EndOfRun::exec)
        profile.run.ended = exec_end_text(profile.run.pid);
    if (mpi_process.used)
        return write_rank_alone(own, why_alone(how));
    const OwnBase base(own_output_base() + run->task_suffix + "_", "all.log");
    base.note_in(profile);
    NewFiles files;
    write_run(profile, own.files.get(), base.text(), files);
    if (own_log_wanted())
        write_rank_log(profile, report_options(run->configuration.options), base.text(), files);
    publish(files);
    if (!failed)
        note_end_message(profile, base.text());
    write_vfd(profile, own.trace, base.text());
}

// What remains of this process's profile if there is no memory for it: a notice that it is missing.
void make_missing_profile(Profile& profile) {
    fill_run_information(profile.run, tick_ns(), tree_ticks());
    add_notice(profile.run.notices, {NoticeCode::no_memory_for_profile, {}});
    profile.ranks.push_back(rank_figures(profile));
    add_root(profile);
}

bool is_switched_off() { return start_failed || run->configuration.options.off; }

// Combines the profiles of all ranks, in `job` on rank 0, if all of them can be sent. The other
// ranks wait for what this one sends and receives, so each part that may run out of memory is
// guarded separately.
bool collate(MpiCommunicator& world, OwnResult& result, Profile& job) {
    Profile& own = result.profile;
    std::vector<CodePlace> filtered;  // on any rank
    run_guarded([&] {
        if (process_record)
            filtered = filtered_places(*process_record);
    });
    if (world.usable())
        share_filtered_places(world, filtered);
    if (!process_record)
        run_guarded([&] { add_root(own); });  // switched off
    else if (!run_guarded([&] { result = own_result(filtered); }))
        run_guarded([&] { make_missing_profile(own); });
    if (!world.usable())
        return false;
    bool need_stids = false;
    run_guarded([&] { need_stids = !is_switched_off() && own_log_wanted(); });
    std::optional<std::uint32_t> most_ranks_with_values;
    if (!is_switched_off())
        most_ranks_with_values =
            static_cast<std::uint32_t>(run->configuration.options.json_values_by_rank);
    RankCollation collation(world, most_ranks_with_values);
    collation.gather(own, job, need_stids);
    const bool together = collation.spread(own);
    collation.gather_values(own, job);
    return together;
}

// Writes the files of this rank, and on rank 0 those of the job, if the profiles were put
// `together`.
void write_rank(bool together, OwnResult& result, Profile& job) {
    Profile& own = result.profile;
    if (!together)
        return write_rank_alone(result, NoticeCode::ranks_not_collated);
    const std::string unclaimed = own_output_base() + "_";
    const bool own_log = own_log_wanted();
    if (mpi_process.rank != 0 && !own_log && !trace_file_path())
        return;
    const OwnBase base(unclaimed, mpi_process.rank == 0
                                      ? "all.log"
                                      : rank_text(own.run) + (own_log ? ".log" : ".vfd"));
    base.note_in(mpi_process.rank == 0 ? job : own);
    const Options& options = run->configuration.options;
    NewFiles files;
    if (mpi_process.rank == 0) {
        set_display_names(job.functions, options.demangle_cxx, options.strip_module_names);
        write_run(job, result.files.get(), base.text(), files);
    }
    if (own_log)
        write_rank_log(own, report_options(options), base.text(), files);
    publish(files);
    if (mpi_process.rank == 0 && !failed)
        note_end_message(job, base.text());
    write_vfd(own, result.trace, base.text());
}

bool job_is_written = true;

// Called on all ranks, even on those where profiling is off, because the others wait for them.
// Returns false if a file of this process or of the job is missing.
bool write_job() {
    CLocale decimal_points;
    constexpr double usual_timeout_s = 300;  // the option's default
    MpiCommunicator world(run ? run->configuration.options.mpi_collation_timeout : usual_timeout_s);
    if (world.usable() && world.any_traced())
        measure_trace_clocks_at_end(world);
    end_trace();
    OwnResult result;
    Profile job;
    const bool together = collate(world, result, job);
    const bool good =
        (is_switched_off() || run_guarded([&] { write_rank(together, result, job); })) && !failed;
    // Rank 0 writes the files of the job. If they could not be written, each rank keeps its tree
    // file.
    if (world.usable())
        job_is_written = world.rest_until_all_are_done(good || mpi_process.rank != 0);
    return good && job_is_written;
}

// The time from here on does not count.
void begin_to_write() {
    process_record->end_ticks = tree_ticks();
    process_record->end_unix_ns = unix_time_ns();
    process_record->state = ProcessState::writing;
    process_record->processor_ns = processor_ns();
    if (own_thread_state)
        close_all_frames(own_thread_state);
}

// Returns false if a file is missing.
bool write_files(EndOfRun how) {
    const bool good = how == EndOfRun::mpi_finalize
                          ? write_job()
                          : run_guarded([&] { write_process(how); }) && !failed;
    drop_unfinished_files();
    return good;
}

void forget_tree_file(bool ours) {
    // The process may no longer be allowed to remove it (setuid).
    if (ours)
        process_record->state = ProcessState::written;
    remove_tree_file();
}

// Keeps what another process needs to write the files in place of this one.
void leave_tree_file() {
    if (process_is_ours()) {
        process_record->library_start_unix_ns = unix_time_ns();
        process_record->state = ProcessState::unwritten;
    }
    const char* file = tree_file_path();
    const bool first_rank = mpi_process.rank == 0 || job_is_written;
    if (!first_rank)
        return;
    // This process is out of descriptors; another process can write the profile right away.
    const char* no_more[] = {nullptr};
    if (file && failed && (failed->error == EMFILE || failed->error == ENFILE) && job_is_written) {
        start_recovery(no_more, true);  // reports errors
        return;
    }
    char why[PATH_MAX + 256];  // not allocated: memory may be exhausted
    if (failed)
        std::snprintf(why, sizeof why, "cannot write %s: %s", failed->path.c_str(),
                      std::strerror(failed->error));
    else
        std::snprintf(why, sizeof why, "there is not enough memory for the profile");
    if (!file)
        message("%s, and there is no tree file: the profile is lost", why);
    else if (!job_is_written)
        message("%s; each rank has left its tree file (this one %s). \"vftrace recover\" makes "
                "one profile of all of them: give it their names, and --output for another "
                "directory",
                why, file);
    else
        message("%s; %s is in %s; make it readable with: vftrace recover %s (--output DIR writes "
                "to another directory)",
                why,
                process_record->incomplete ? "the profile, except for the latest call paths,"
                                           : "the profile",
                file, file);
}

struct Ending {
    EndOfRun how;
    bool ours;  // the process has a record of its own
};

}  // namespace

void finish_run(EndOfRun how) {
    if ((!run && !start_failed) || run_phase == RunPhase::over)
        return;
    if (how != EndOfRun::mpi_finalize && run_phase == RunPhase::recording &&
        seccomp_filter_was_added()) {
        run_phase = RunPhase::over;
        return mark_end_without_system_calls(ProcessState::unwritten, 0);
    }
    if (how == EndOfRun::mpi_finalize)
        ensure_record();  // the other ranks wait for this one, whether it has recorded or not
    // A child of fork() or vfork() that ends is not the end of the run.
    bool ours = process_record && process_record->pid == getpid();
    bool recording = run_phase == RunPhase::recording && ours;
    if (!recording && how != EndOfRun::mpi_finalize) {
        // Because of the filter, there may have been nothing to record.
        if (run && !process_record && removed_hook_calls() > 0 && run->process == getpid()) {
            write_held_messages();
            run_guarded([] { report_unmatched_patterns(run->application.c_str()); });
        }
        return;
    }
    wait_if_dying();
    HeldCancellation held_cancellation;
    // First, because the program may have freed the memory on which handlers would run, and because
    // the work below is not part of the program's time.
    stop_samples();
    run_phase = RunPhase::over;
    if (ours)
        begin_to_write();
    stop_recording();
    if (ours) {
        stop_service();
        run_guarded([] { end_watchdog(); });
        call_sources(&Source::finish, own_thread_state);
        if (how != EndOfRun::mpi_finalize)
            end_trace();
    }
    HeldFloatingPointTraps held;
    note_names_of_running_threads();
    Ending ending{how, ours};
    run_on_own_stack(
        [](void* argument) {
            const Ending& ending = *static_cast<Ending*>(argument);
            const MoreDescriptors more;
            const bool good = write_files(ending.how);
            if (good)
                forget_tree_file(ending.ours);
            else
                leave_tree_file();
            if (ending.ours && !process_record->forked)
                run_guarded([] { report_unmatched_patterns(run->application.c_str()); });
        },
        &ending);
    if (ours && (how == EndOfRun::mpi_finalize || tree_file_path()))
        stop_signals();
}

// Runs after the destructors of the program and of the libraries that need this one.
[[gnu::destructor(101)]] static void library_destructor() {
    finish_run(EndOfRun::process_exit);
    report_end_message();
}

}  // namespace vftrace
