// Turns what threads did with files (record/file_rows.hpp) into rows of paths and of files.
#pragma once

#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

class FileCallsSum {
  public:
    // `profile` already has its paths.
    FileCallsSum(Profile& profile, const ProcessRecord& process, double ns_per_tick)
        : profile_(profile), process_(process), ns_per_tick_(ns_per_tick) {}

    // Adds one thread, which may continue to run.
    void add(const NodePaths::Thread& thread);

    // The rows and metrics of the profile are complete.
    void finish();

  private:
    void add_to_file(const FileRow& row, const FileCalls& calls, const FileRecord* record);
    void add_metrics();

    Profile& profile_;
    const ProcessRecord& process_;
    const double ns_per_tick_;
};

}  // namespace vftrace
