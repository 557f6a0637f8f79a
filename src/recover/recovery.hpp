// From tree files to logs: reading, putting the ranks of a job together, writing, tidying up.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.hpp"
#include "recover/recovered_profile.hpp"

namespace vftrace {

struct RecoveryRequest {
    Occasion occasion = Occasion::end;
    std::string output_directory;  // empty: that of the process
    // The process that asks for it itself: it is there, but not for long.
    std::optional<std::int64_t> asking_process;
};

// A tree file that is being worked on. Nobody else works on it while the object is there.
class TreeFileInWork {
  public:
    // Throws TreeFileError if the file cannot be used, is in work elsewhere or, for
    // Occasion::end, is that of a process that runs.
    TreeFileInWork(std::string path, const RecoveryRequest& request);
    ~TreeFileInWork();
    TreeFileInWork(const TreeFileInWork&) = delete;
    TreeFileInWork& operator=(const TreeFileInWork&) = delete;

    const std::string& path() const { return path_; }
    const ProcessRecord& record() const { return process_->record(); }
    const Options& options() const { return options_; }
    Profile& profile() { return profile_; }
    const Profile& profile() const { return profile_; }
    // False for a process that called nothing instrumented; its profile is empty.
    bool has_profile() const { return anything_recorded(record()); }

    void remove_file() const;

  private:
    std::string path_;
    int descriptor_;
    std::unique_ptr<RecoveredProcess> process_;
    Options options_;
    Profile profile_;
};

// Files that belong together: the ranks of a job in ascending order, or a single one.
using Job = std::vector<TreeFileInWork*>;
std::vector<Job> jobs_of(const std::vector<std::unique_ptr<TreeFileInWork>>& files);

// Writes the logs and the JSON file of a job as its processes would have. Returns the paths of the
// files. Throws TreeFileError if one cannot be written: then there is none of them.
std::vector<std::string> write_job(const Job& job, const RecoveryRequest& request);

}  // namespace vftrace
