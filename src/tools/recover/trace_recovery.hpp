// Converts the trace of a process (.tmpvfd) to a vfd file, if the process could not do so itself.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "recover/claimed_base.hpp"
#include "recover/file_image.hpp"
#include "recover/locked_file.hpp"
#include "recover/recovery_request.hpp"
#include "recover/traced_process.hpp"
#include "recover/tree_files.hpp"
#include "vfd/vfd_conversion.hpp"

namespace vftrace {

// A trace that is being worked on. No other process works on it while the object exists.
class TraceInWork {
  public:
    // Throws TreeFileError if the file cannot be used (locked_file.hpp), or is that of a running
    // process that has not requested this itself.
    TraceInWork(std::string path, const RecoveryRequest& request);
    TraceInWork(const TraceInWork&) = delete;
    TraceInWork& operator=(const TraceInWork&) = delete;

    const LockedFile& file() const { return file_; }
    const ProcessRecord& record() const { return process_->record(); }
    // Whether it is the trace of the process with that record.
    bool is_of(const ProcessRecord& process) const;

    // Writes `<base><rank>.vfd`, as the process would have, and returns its path. Throws
    // TreeFileError if that fails; then there is no file.
    std::string write(const ClaimedBase& base);
    // The same, with the base that the process would have chosen.
    std::string write(const RecoveryRequest& request);
    // The figures about what was written.
    const VfdFigures& figures() const { return figures_; }

  private:
    LockedFile file_;
    TraceFileReader reader_;
    std::unique_ptr<TracedProcess> process_;
    VfdFigures figures_;
};

// Whether a file is a trace, by its name or its first bytes.
bool is_trace_file(const std::string& path);

// The traces in these directories that belong to the user, by path.
std::vector<TreeFile> find_trace_files(const std::vector<std::string>& directories);

}  // namespace vftrace
