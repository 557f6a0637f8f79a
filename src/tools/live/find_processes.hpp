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
    other_program,  // it has become another program (exec), which does not have a tree file (yet)
    replaced,       // it is gone, and another process has its id
    not_visible,    // it may run in another process namespace or on another host
    no_permission,  // it belongs to another user
    not_profiled,   // it runs without vftrace, or without a tree file
    damaged,        // its file is truncated or contains something else
    other_version   // its file was written by another version of vftrace
};
// "running", "ended", "another program now", ...: for a column.
const char* word_of(Presence presence);

// Why a process cannot be watched, in one line that begins with its id.
class NotWatchable : public std::runtime_error {
  public:
    NotWatchable(Presence why, const std::string& text) : std::runtime_error(text), why(why) {}
    const Presence why;
};

// A process on this host and its tree file.
struct FoundProcess {
    std::int64_t pid = 0;     // in the process namespace of the caller
    std::uint64_t start = 0;  // clock ticks after boot
    std::string name;         // in the kernel
    std::string tree_file;    // path that the caller can open
    std::string root;         // "/proc/PID/root" if its files are not the caller's; else ""
};

// The process with that id. Throws NotWatchable.
FoundProcess find_process(std::int64_t pid);

struct FoundProcesses {
    std::vector<FoundProcess> processes;  // by pid
    // Processes that the user may not read: only their ids and names in the kernel.
    std::vector<FoundProcess> forbidden;
    // Tree files, in the usual directories, of processes that are not visible from here: texts of
    // messages.
    std::vector<std::string> not_visible;
};
// All processes that are being profiled. `tree_directory`: from the user's configuration, or "".
FoundProcesses find_processes(const std::string& tree_directory);

// Whether the process that was found is still running.
bool still_runs(const FoundProcess& process);

}  // namespace vftrace
