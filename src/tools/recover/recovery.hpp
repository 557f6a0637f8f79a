// Turns tree files into logs: reading, merging the ranks of a job, writing, cleaning up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "recover/locked_file.hpp"
#include "recover/recovered_profile.hpp"
#include "recover/recovery_request.hpp"
#include "recover/trace_recovery.hpp"

namespace vftrace {

// A tree file that is being worked on. No other process works on it while the object exists.
class TreeFileInWork {
  public:
    // Throws TreeFileError if the file cannot be used (locked_file.hpp) or, for Occasion::end, is
    // that of a running process.
    TreeFileInWork(std::string path, const RecoveryRequest& request);
    TreeFileInWork(const TreeFileInWork&) = delete;
    TreeFileInWork& operator=(const TreeFileInWork&) = delete;

    const LockedFile& file() const { return file_; }
    const ProcessRecord& record() const { return process_->record(); }
    // What is written: by the process's configuration, or the default if the file is foreign.
    const Options& options() const { return options_; }
    Profile& profile() { return profile_; }
    const Profile& profile() const { return profile_; }
    // False for a process that called nothing instrumented or has written its profile itself.
    bool has_profile() const {
        return (was_killed_ || anything_recorded(record())) &&
               record().state != ProcessState::written;
    }

    // Sets the converted trace of the process, which is to be removed with the file.
    void set_trace(std::unique_ptr<TraceInWork> trace) { trace_ = std::move(trace); }

    void remove_file() const;

  private:
    LockedFile file_;
    bool was_killed_ = false;  // a sampled process, maybe before the first sample
    std::unique_ptr<RecoveredProcess> process_;
    Options options_;
    Profile profile_;
    std::unique_ptr<TraceInWork> trace_;
};

// Files that belong together: those of the ranks of a job in ascending order, or a single file.
using Job = std::vector<TreeFileInWork*>;
std::vector<Job> jobs_of(const std::vector<std::unique_ptr<TreeFileInWork>>& files);

struct WrittenFiles {
    std::vector<std::string> paths;
    std::vector<std::string> problems;  // a line for each trace that could not be converted
    std::vector<std::string> notes;     // a line for each trace that was not looked for
    std::string summary;                // summary_line()
};

// Writes the logs and the JSON file of a job as its processes would have, and the vfd files of
// those that were traced. Throws TreeFileError if a log or the JSON file cannot be written: then
// none of them is written.
WrittenFiles write_job(const Job& job, const RecoveryRequest& request);

}  // namespace vftrace
