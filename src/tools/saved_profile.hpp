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

// By `vftrace snapshot` and, for a page, `vftrace report --html`, in processes of their own: what
// they print does not disturb the terminal, and their memory is not this process's. `directory`
// may be empty: that of the processes.
SavedProfile save_profile(const std::vector<std::int64_t>& pids, bool page,
                          const std::string& directory);

}  // namespace vftrace::tools
