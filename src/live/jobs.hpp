// Which processes belong to a job: one rule for `vftrace top`, `vftrace mark` and `vftrace
// rollcall`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "live/live_process.hpp"

namespace vftrace {

// Whether two processes are ranks of one job.
bool same_job(const LiveFacts& a, const LiveFacts& b);

// Whether `name` means the job of the process: what the launcher calls it (or the beginning of
// that, up to a dot), or the name of the program. "" means any.
bool is_of_job(const LiveFacts& process, const std::string& name);

// Of some processes those that are meant where a job is requested. Processes that do not use MPI
// are left out if anything does: it helps the ranks, such as a launcher.
struct JobMembers {
    std::vector<std::size_t> members;  // indices
    std::vector<std::size_t> jobs;     // the first one of each job; several: it is not clear
};
JobMembers members_of_job(const std::vector<const LiveFacts*>& processes, const std::string& name);

// The same for processes that were found. Reads the head of each tree file; those that cannot be
// watched are not members.
JobMembers members_of_job(const std::vector<FoundProcess>& processes, const std::string& name);

// Of these the ranks of the job of one; the one alone if it does not use MPI.
std::vector<FoundProcess> processes_of_job(const std::vector<FoundProcess>& processes,
                                           std::int64_t pid);

}  // namespace vftrace
