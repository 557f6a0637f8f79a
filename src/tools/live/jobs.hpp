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

// Whether `name` means the job of the process: the launcher's name of the job (or the part of it
// before a dot), or the name of the program. "" means any job.
bool is_of_job(const LiveFacts& process, const std::string& name);

// The members of a requested job among some processes. If any of these use MPI, the others are left
// out: they only help the ranks, like a launcher.
struct JobMembers {
    std::vector<std::size_t> members;  // indices
    std::vector<std::size_t> jobs;     // the first member of each job; several: ambiguous
};
JobMembers members_of_job(const std::vector<const LiveFacts*>& processes, const std::string& name);

// The same for processes that were found. Reads the head of each tree file; processes that cannot
// be watched are not members.
JobMembers members_of_job(const std::vector<FoundProcess>& processes, const std::string& name);

// The processes that are ranks of the job of process `pid`; only this process if it does not use
// MPI.
std::vector<FoundProcess> processes_of_job(const std::vector<FoundProcess>& processes,
                                           std::int64_t pid);

}  // namespace vftrace
