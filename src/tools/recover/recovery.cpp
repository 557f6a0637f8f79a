#include "recover/recovery.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/text.hpp"
#include "recover/claimed_base.hpp"
#include "recover/mark_file.hpp"
#include "recover/running_process.hpp"
#include "report/profile_files.hpp"
#include "report/summary_line.hpp"

namespace vftrace {
namespace {

// The vfd file of the process, if it was traced and its trace is still there.
void write_trace(TreeFileInWork& file, const RecoveryRequest& request, const ClaimedBase& base,
                 WrittenFiles& written) {
    const std::string path = file.record().trace_file;
    if (path.empty() || request.occasion == Occasion::snapshot)
        return;
    if (file.file().is_foreign()) {
        written.notes.push_back(fmt::format("the trace of process {} is not looked for, because "
                                            "another user may have named it: give its name, too",
                                            file.record().pid));
        return;
    }
    if (access(path.c_str(), F_OK) != 0)
        return;
    try {
        auto trace = std::make_unique<TraceInWork>(path, request);
        if (trace->file().owner() != file.file().owner() || !trace->is_of(file.record()))
            return;
        written.paths.push_back(trace->write(base));
        // The process removes its tree file itself before it becomes another program.
        if (request.occasion == Occasion::exec)
            trace->file().remove();
        else
            file.set_trace(std::move(trace));
    } catch (const std::exception& error) {
        written.problems.push_back(error.what());
    }
}

WrittenFiles write_one_rank(TreeFileInWork& file, const RecoveryRequest& request) {
    Profile& profile = file.profile();
    add_notice(profile.run.notices,
               {request.occasion == Occasion::snapshot ? NoticeCode::snapshot_of_rank
                                                       : NoticeCode::finalize_not_reached,
                {profile.run.rank}});
    const ClaimedBase base(file.record(), request, rank_text(profile.run) + ".log");
    base.note_in(profile);
    NewFiles files = base.files();
    write_rank_files(profile, file.options(), base.name(), files);
    WrittenFiles written{publish(files), {}, {}, {}};
    written.summary = summary_line(profile, base.path() + rank_text(profile.run) + ".log");
    write_trace(file, request, base, written);
    return written;
}

bool same_job(const ProcessRecord& a, const ProcessRecord& b) {
    constexpr std::int64_t most_delay_ns = 600'000'000'000;  // of the start of a rank
    const bool same_launcher = *a.job || std::strcmp(a.host, b.host) != 0 ||
                               (a.parent_pid == b.parent_pid && a.pid_namespace == b.pid_namespace);
    return same_launcher && std::strcmp(a.job, b.job) == 0 && a.ranks == b.ranks &&
           a.rank != b.rank && a.uses_mpi && b.uses_mpi &&
           std::strcmp(a.application, b.application) == 0 &&
           std::strcmp(a.output_base, b.output_base) == 0 &&
           std::abs(a.start_unix_ns - b.start_unix_ns) <= most_delay_ns;
}

// Samples are taken in programs that call nothing instrumented: before the first one, which needs
// processor time, the record has only the time at which the process was started.
bool is_killed_while_sampled(const ProcessRecord& record) {
    return record.sample_period_ns > 0 && !record.sampled_beside_hooks && !record.forked &&
           record.threads && record.state == ProcessState::running;
}

}  // namespace

TreeFileInWork::TreeFileInWork(std::string path, const RecoveryRequest& request)
    : file_(std::move(path), request) {
    const std::string& name = file_.path();
    const FileImage image = FileImage::of_descriptor(file_.descriptor(), name);
    const ProcessRecord& record = image.record();
    // The requesting process runs, even if /proc belongs to another process namespace or is
    // missing.
    const bool runs = request.asking_process == record.pid || still_runs(record);
    // A profile that could not be written after MPI_Finalize may be written now.
    const bool goes_on = runs && record.state != ProcessState::unwritten;
    if (request.occasion == Occasion::end && goes_on && request.asking_process != record.pid)
        throw TreeFileError(fmt::format(
            "{}: process {} is still running (vftrace snapshot {} writes its profile so far)", name,
            record.pid, record.pid));
    if (request.occasion != Occasion::end && !runs)
        throw TreeFileError(fmt::format("{}: process {} is no longer running", name, record.pid));
    process_ = std::make_unique<RecoveredProcess>(image);
    if (request.since_mark)
        process_->count_from(RecoveredProcess(read_mark(name, record)));
    was_killed_ = request.occasion == Occasion::end && is_killed_while_sampled(record);
    if (!has_profile() && file_.bytes() < record.file_bytes)
        throw TreeFileError(fmt::format("{}: is truncated: nothing can be recovered", name));
    if (request.occasion != Occasion::end)
        name_running_threads(*process_);
    if (!file_.is_foreign())
        options_ = options_of(process_->record());
    if (has_profile())
        profile_ = recovered_profile(*process_, request.occasion, file_.owner());
}

void TreeFileInWork::remove_file() const {
    if (trace_)
        trace_->file().remove();
    file_.remove();
}

std::vector<Job> jobs_of(const std::vector<std::unique_ptr<TreeFileInWork>>& files) {
    std::vector<Job> jobs;
    for (const std::unique_ptr<TreeFileInWork>& file : files) {
        auto job = std::find_if(jobs.begin(), jobs.end(), [&](const Job& candidate) {
            return std::all_of(candidate.begin(), candidate.end(), [&](const auto* other) {
                return same_job(other->record(), file->record());
            });
        });
        if (job == jobs.end())
            job = jobs.insert(job, Job());
        job->push_back(file.get());
    }
    for (Job& job : jobs)
        std::sort(job.begin(), job.end(),
                  [](const auto* a, const auto* b) { return a->record().rank < b->record().rank; });
    return jobs;
}

WrittenFiles write_job(const Job& job, const RecoveryRequest& request) {
    TreeFileInWork& first = *job.front();
    const bool is_mpi = first.record().uses_mpi;
    if (job.size() == 1 && is_mpi && first.record().ranks > 1)
        return write_one_rank(first, request);
    std::vector<Profile*> profiles;
    for (TreeFileInWork* file : job)
        profiles.push_back(&file->profile());
    const Options& options = first.options();
    Profile merged = is_mpi ? merged_profile(profiles, options) : Profile();
    const ClaimedBase base(first.record(), request, "all.log");
    base.note_in(is_mpi ? merged : first.profile());
    NewFiles files = base.files();
    write_run_files(is_mpi ? merged : first.profile(), options, base.name(), files);
    for (const Profile* profile : profiles)
        if (rank_log_wanted(options, profile->run.rank))
            write_rank_log(*profile, report_options(options), base.name(), files);
    WrittenFiles written{publish(files), {}, {}, {}};
    written.summary = summary_line(is_mpi ? merged : first.profile(), base.path() + "all.log");
    for (TreeFileInWork* file : job)
        write_trace(*file, request, base, written);
    return written;
}

}  // namespace vftrace
