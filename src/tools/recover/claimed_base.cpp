#include "recover/claimed_base.hpp"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/directories.hpp"
#include "base/message.hpp"
#include "base/new_file.hpp"
#include "config/run_folder.hpp"
#include "recover/recovered_profile.hpp"
#include "report/profile_files.hpp"

namespace vftrace {
namespace {

// Where a process wanted to write its files: "<directory>/<name>".
std::string base_of(const ProcessRecord& record, const RecoveryRequest& request) {
    std::string directory = record.output_base;
    const std::size_t slash = directory.rfind('/');
    std::string name = directory.substr(slash + 1);
    directory.resize(slash == std::string::npos ? 0 : std::max<std::size_t>(slash, 1));
    if (name.empty())  // killed at its very beginning, or damaged
        name = "vftrace";
    if (record.forked)
        name += fmt::format("_{}", record.pid);
    if (!record.uses_mpi)
        name += record.task_suffix;
    if (!request.output_directory.empty())
        directory = request.output_directory;
    return directory.empty() ? name : directory + "/" + name;
}

// Removes the files that a process had begun to write when it died.
void remove_parts(const std::string& base, const ProcessRecord& record) {
    std::error_code error;
    std::vector<std::filesystem::path> parts;
    for (std::filesystem::directory_iterator entry(directory_of(base), error), end;
         !error && entry != end; entry.increment(error)) {
        struct stat information;
        if (entry->path().filename().string().starts_with(part_prefix(record.pid)) &&
            lstat(entry->path().c_str(), &information) == 0 && information.st_uid == geteuid())
            parts.push_back(entry->path());
    }
    for (const std::filesystem::path& part : parts)
        std::filesystem::remove(part, error);
}

// A process that died while writing its files had reserved names for them: these names are used
// again.
std::string base_of_begun_files(const std::string& base, const ProcessRecord& record,
                                const std::string& first_file) {
    std::string with_pid = fmt::format("{}_{}_", base, record.pid);
    return access((with_pid + first_file).c_str(), F_OK) == 0 ? with_pid : base + "_";
}

}  // namespace

ClaimedBase::ClaimedBase(const ProcessRecord& record, const RecoveryRequest& request,
                         const std::string& first_file) {
    const std::string base = base_of(record, request);
    unclaimed_ = base + "_";
    if (request.asking_process && request.output_directory.empty())
        make_directories(directory_of(base));
    if (request.output_directory.empty() && is_run_folder(options_of(record).output_directory))
        make_run_folder(base.substr(0, base.rfind('/')).c_str());
    if (request.occasion == Occasion::snapshot) {
        text_ = base + (request.since_mark ? "_since_mark_" : "_snapshot_");
        return;
    }
    if (record.state == ProcessState::writing || request.asking_process == record.pid)
        remove_parts(base, record);
    if (record.state == ProcessState::writing)
        text_ = base_of_begun_files(base, record, first_file);
    else
        text_ = claim_output_base(unclaimed_, first_file, record.library_start_unix_ns,
                                  {record.pid, record.process_start, record.start_unix_ns});
    first_file_ = first_file;
    if (text_ != unclaimed_ && !request.asking_process)
        message("%s%s was written by a process that ran at the same time; the names of this "
                "process's files begin with %s",
                unclaimed_.c_str(), first_file.c_str(), text_.c_str());
}

void ClaimedBase::note_in(Profile& profile) const {
    if (!first_file_.empty())
        note_taken_names(profile.run.notices, unclaimed_, first_file_, text_);
}

ClaimedBase::~ClaimedBase() {
    if (!first_file_.empty())
        give_output_base_back(text_, first_file_);
}

}  // namespace vftrace
