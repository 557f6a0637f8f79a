// The profiled processes of this host, and where their tree files are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace vftrace {

// Whether a process can be watched, and if not, why.
enum class Presence : std::uint8_t {
    running,
    ended,          // the process is gone
    other_program,  // it continues as another program (exec), which keeps no tree file (yet)
    replaced,       // it is gone, and another process has its number
    not_visible,    // it may run, but in another process namespace or on another host
    no_permission,  // it is another user's
    not_profiled,   // it runs without vftrace, or keeps no tree file
    damaged,        // its file is cut off or holds something else
    other_version   // its file is that of another version of vftrace
};
// "running", "ended", "another program now", ...: for a column.
const char* word_of(Presence presence);

// Why a process cannot be watched, in one line that begins with its number.
class NotWatchable : public std::runtime_error {
  public:
    NotWatchable(Presence why, const std::string& text) : std::runtime_error(text), why(why) {}
    const Presence why;
};

// A process as this host sees it, and its tree file.
struct FoundProcess {
    std::int64_t pid = 0;     // in the process namespace of the caller
    std::uint64_t start = 0;  // clock ticks after boot
    std::string name;         // for the kernel
    std::string tree_file;    // path that the caller can open
    std::string root;         // "/proc/PID/root" if its files are not the caller's; else ""
};

// The process with that number. Throws NotWatchable.
FoundProcess find_process(std::int64_t pid);

struct FoundProcesses {
    std::vector<FoundProcess> processes;  // by pid
    // Of those that may not be looked at: numbers and names for the kernel.
    std::vector<FoundProcess> forbidden;
    // Tree files in the usual directories of processes that cannot be seen from here: texts for
    // messages.
    std::vector<std::string> not_visible;
};
// All that are profiled now. `tree_directory`: the one of the user's configuration, or "".
FoundProcesses find_processes(const std::string& tree_directory);

// Whether the process still runs that was found.
bool still_runs(const FoundProcess& process);

}  // namespace vftrace
