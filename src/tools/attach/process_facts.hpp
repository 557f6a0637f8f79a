// What the kernel says about a process that runs: its program, and its place in a job.
#pragma once

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace vftrace {

struct ProcessFacts {
    std::int32_t pid = 0;
    std::uint64_t start = 0;  // clock ticks after boot
    std::int64_t parent = 0;
    uid_t owner = 0;
    std::string application;   // base name of argv[0], as in profiles of programs that we start
    std::string command_line;  // arguments joined by blanks
    std::string job;           // the launcher's name of the processes it started together, or ""
    std::string batch_job;     // the batch system's name of the job, or ""
    bool is_rank = false;      // of several processes that a launcher has started together
    std::uint32_t rank = 0, ranks = 1;
};

// Throws AttachError if there is no such process, if it is part of the kernel, or if its program is
// of a kind that cannot be sampled.
ProcessFacts facts_of_process(std::int32_t pid);

// The processes of this host, of this user (or, for root, of all), that belong to a job of that
// name (as in `vftrace top --job`: that of the launcher or the batch system, or the part of it
// before a dot). Those that only started the ranks are left out.
std::vector<std::int32_t> processes_of_job_named(const std::string& job);

// Whether both are ranks of the same job.
bool are_of_one_job(const ProcessFacts& a, const ProcessFacts& b);

}  // namespace vftrace
