// Information from the kernel about a process that may still run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>

#include "recover/recovered_process.hpp"

namespace vftrace {

// When the process was started, in clock ticks after boot. Nothing if there is none with this
// number, or if it has ended and only its parent has not asked for its exit status yet.
std::optional<std::uint64_t> start_of_process(std::int64_t pid);

// Whether the process that wrote the record runs. A later process may have the same number.
bool still_runs(const ProcessRecord& record);

// Whether a signal or a debugger has stopped it.
bool is_stopped(std::int64_t pid);

// The state of a thread as in proc(5): 'R', 'S', 'D', 'T', ...; '?' if it cannot be read.
char state_of_thread(std::int64_t pid, std::int64_t tid);

// Whether it is a thread of the kernel, which is listed among the processes.
bool is_kernel_thread(std::int64_t pid);

// The parent of a process; 0 if it cannot be read.
std::int64_t parent_of(std::int64_t pid);

// Whether a process with that number runs that was started before that time.
bool runs_since(std::int64_t pid, std::int64_t unix_ns);

// Whether the process was one of another host or container: nothing can be said about it here.
bool is_elsewhere(const ProcessRecord& record, const std::string& host);

// Processor time that all its threads have used; 0 if that is unknown.
std::uint64_t processor_ns_of(std::int64_t pid);

// Its name for the kernel, empty if it cannot be read.
std::string kernel_name(std::int64_t pid);

// That of one of its threads, unless it is the process's; else empty.
std::string thread_kernel_name(std::int64_t pid, std::int32_t tid);

// How a process has its tree file mapped.
struct TreeMapping {
    std::string path;      // as the process sees it
    bool removed = false;  // the file has no name any more
};
struct TreeMappings {
    std::optional<TreeMapping> tree;  // one that has a name is preferred
    bool has_library = false;         // whether one of our libraries is mapped
};
// Throws TreeFileError if there is no process with that number, NoPermissionError if one may not
// look. `own_pid`: the number that it has in its own process namespace, which is in the file's
// name.
TreeMappings tree_mappings(std::int64_t pid, std::int64_t own_pid);

// The file of trees that the process has mapped now. Throws TreeFileError if there is none, or if
// one may not look: the text says what could be the reason.
std::string mapped_tree_file(std::int64_t pid);

// Gives threads that have no name in the record the one that the kernel knows, unless it is the
// program's.
void name_running_threads(RecoveredProcess& process);

}  // namespace vftrace
