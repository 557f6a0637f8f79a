// Information from the kernel about a process that may still run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

#include "recover/recovered_process.hpp"

namespace vftrace {

// What is in a file of /proc; nullopt and errno if it cannot be read.
std::optional<std::string> contents_of(const std::string& path);

// When the process was started, in clock ticks after boot. Nothing if there is no process with this
// number, or if it has ended and its parent has not collected its exit status yet.
std::optional<std::uint64_t> start_of_process(std::int64_t pid);

// Whether the process that wrote the record is running. A later process may have the same number.
bool still_runs(const ProcessRecord& record);

// Whether a signal or a debugger has stopped it.
bool is_stopped(std::int64_t pid);

// The state of a thread as in proc(5): 'R', 'S', 'D', 'T', ...; '?' if it cannot be read.
char state_of_thread(std::int64_t pid, std::int64_t tid);

// Whether it is a thread of the kernel, which is listed among the processes.
bool is_kernel_thread(std::int64_t pid);

// The parent of a process; 0 if it cannot be read.
std::int64_t parent_of(std::int64_t pid);

// Whether nobody but this user or root can have chosen what the process runs and its arguments.
bool is_of_user_or_root(std::int64_t pid);

// Whether a process with this number is running and was started before this time.
bool runs_since(std::int64_t pid, std::int64_t unix_ns);

// Whether the process belongs to another host or container, so that it cannot be examined here.
bool is_elsewhere(const ProcessRecord& record, const std::string& host);

// The processor time that all threads of the process have used; 0 if that is unknown.
std::uint64_t processor_ns_of(std::int64_t pid);

// The kernel's name of the process, empty if it cannot be read.
std::string kernel_name(std::int64_t pid);

// The kernel's name of one of its threads; empty if it is the same as that of the process.
std::string thread_kernel_name(std::int64_t pid, std::int32_t tid);

// The mapping of a tree file in a process.
struct TreeMapping {
    std::string path;      // as the process sees it
    bool removed = false;  // the file no longer has a name
};
struct TreeMappings {
    std::optional<TreeMapping> tree;  // preferably one whose file has a name
    bool has_library = false;         // whether one of our libraries is mapped
};
// Throws TreeFileError if there is no process with that number, and NoPermissionError if its
// mappings may not be read. `own_pid`: the number of the process in its own process namespace,
// which is part of the file's name.
TreeMappings tree_mappings(std::int64_t pid, std::int64_t own_pid);

// The tree file that the process has currently mapped. Throws TreeFileError if there is none, or if
// its mappings may not be read; the text gives the possible reason.
std::string mapped_tree_file(std::int64_t pid);

// Gives threads without a name in the record their name from the kernel, unless it is the
// program's.
void name_running_threads(RecoveredProcess& process);

}  // namespace vftrace
