// Saves the profile so far of running processes, from within a view on the terminal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vftrace::tools {

struct SavedProfile {
    bool worked = false;
    std::string message;  // in one line: what was written, or why nothing was
};

// By `vftrace snapshot` and, for a page, `vftrace report --html`, in separate processes: their
// output does not disturb the terminal, and they do not use this process's memory. `directory` may
// be empty: that of the processes is used.
SavedProfile save_profile(const std::vector<std::int64_t>& pids, bool page,
                          const std::string& directory);

}  // namespace vftrace::tools
