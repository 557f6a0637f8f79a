#include "recover/claimed_base.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>

#include "base/directories.hpp"
#include "base/file_name.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "config/run_folder.hpp"
#include "recover/file_image.hpp"
#include "recover/recovered_profile.hpp"
#include "report/profile_files.hpp"

namespace vftrace {
namespace {

// The name that a process wanted to give its files, without the directory.
std::string name_of(const ProcessRecord& record) {
    std::string name(base_name(record.output_base));
    if (name.empty())  // killed at its very beginning, or damaged
        name = "vftrace";
    if (record.forked)
        name += fmt::format("_{}", record.pid);
    if (!record.uses_mpi)
        name += record.task_suffix;
    return safe_file_name(name, "vftrace") + "_";
}

// "<directory>/", or "" for the working directory.
std::string directory_of_files(const ProcessRecord& record, const RecoveryRequest& request) {
    std::string directory = request.output_directory;
    if (directory.empty() && std::strchr(record.output_base, '/'))
        directory = directory_of(record.output_base);
    if (!directory.empty() && !directory.ends_with('/'))
        directory += '/';
    return directory;
}

// The directory, which is made first if the process would have made it.
int opened(const std::string& directory, const ProcessRecord& record,
           const RecoveryRequest& request) {
    if (request.asking_process && request.output_directory.empty())
        make_directories(directory.empty() ? "." : directory);
    if (request.output_directory.empty() && is_run_folder(options_of(record).output_directory))
        make_run_folder(directory.substr(0, directory.rfind('/')).c_str());
    return open_directory(directory.empty() ? "." : directory);
}

// The names in a directory.
std::vector<std::string> entries_of(int directory) {
    std::vector<std::string> names;
    const int file = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const stream = file >= 0 ? fdopendir(file) : nullptr;
    if (!stream)
        return names;
    while (const dirent* entry = readdir(stream))
        names.emplace_back(entry->d_name);
    closedir(stream);
    return names;
}

// Removes the files that a process had begun to write when it died.
void remove_parts(int directory, const ProcessRecord& record) {
    const std::string prefix = part_prefix(record.pid);
    for (const std::string& name : entries_of(directory)) {
        struct stat information;
        if (name.starts_with(prefix) &&
            fstatat(directory, name.c_str(), &information, AT_SYMLINK_NOFOLLOW) == 0 &&
            information.st_uid == geteuid())
            unlinkat(directory, name.c_str(), 0);
    }
}

// A process that died while writing its files had reserved names for them: these names are used
// again.
std::string name_of_begun_files(int directory, const std::string& name, const ProcessRecord& record,
                                const std::string& first_file) {
    std::string with_pid = fmt::format("{}{}_", name, record.pid);
    return faccessat(directory, (with_pid + first_file).c_str(), F_OK, 0) == 0 ? with_pid : name;
}

std::string why_not_opened(const std::string& directory, int error) {
    // The kernel lets us in, so the path has a link that we do not follow.
    const bool is_behind_link = error == EACCES && access(directory.c_str(), X_OK) == 0;
    return fmt::format("{}{}", std::strerror(error),
                       is_behind_link ? ": its path has a symbolic link of another user; give the "
                                        "directory to which that leads"
                                      : "");
}

}  // namespace

std::vector<std::string> publish(NewFiles& files) {
    const bool whole = files.failure().error == 0;
    const FileFailure& failure = whole ? files.publish() : files.failure();
    if (failure.error)
        throw TreeFileError(
            fmt::format("cannot write {}: {}", failure.path, std::strerror(failure.error)));
    return files.paths();
}

ClaimedBase::ClaimedBase(const ProcessRecord& record, const RecoveryRequest& request,
                         const std::string& first_file)
    : path_(directory_of_files(record, request)),
      is_named_by_user_(!request.output_directory.empty()), name_(name_of(record)),
      directory_(opened(path_, record, request)) {
    if (!directory_.is_open())
        throw TreeFileError(
            fmt::format("cannot write {}{}: {}", path(), first_file, why_not_opened(path_, errno)));
    if (request.occasion == Occasion::snapshot) {
        name_ += request.since_mark ? "since_mark_" : "snapshot_";
        return;
    }
    unclaimed_ = name_;
    const bool is_begun = record.state == ProcessState::writing;
    if (!is_named_by_user_ && (is_begun || request.asking_process == record.pid))
        remove_parts(directory_, record);
    if (is_begun)
        name_ = name_of_begun_files(directory_, name_, record, first_file);
    else
        name_ =
            claim_output_base(name_, first_file, record.library_start_unix_ns,
                              {record.pid, record.process_start, record.start_unix_ns}, folder());
    first_file_ = first_file;
    if (name_ != unclaimed_ && !is_begun && !request.asking_process)
        message("%s%s%s was written by a process that ran at the same time; the names of this "
                "process's files begin with %s",
                path_.c_str(), unclaimed_.c_str(), first_file.c_str(), path().c_str());
}

void ClaimedBase::note_in(Profile& profile) const {
    if (!first_file_.empty())
        note_taken_names(profile.run.notices, path_ + unclaimed_, first_file_, path());
}

ClaimedBase::~ClaimedBase() {
    if (!first_file_.empty())
        give_output_base_back(name_, first_file_, folder());
}

}  // namespace vftrace
