// The hosts of a job, and how to run a command on one of them: by the job's launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace vftrace::tools {

std::string own_host_name();
// Whether two names mean one host: "n17" and "n17.cluster.example" do.
bool is_same_host(const std::string& a, const std::string& b);

// "n1,n2,n[8-10]", or "@FILE" with a name at the beginning of each line; each once, in order.
// Throws UsageError.
std::vector<std::string> hosts_in(const std::string& text);

struct JobHosts {
    std::vector<std::string> hosts;  // empty: not known
    std::string launcher;            // as --launcher takes it; "": not known
};
// Found out from the batch system's variables; for a job of Slurm that this process is not part of
// by its number, `job`; or from the command line of the mpirun that has started process `pid`, 0 if
// there is none.
JobHosts find_job_hosts(const std::string& job, std::int64_t pid);

// What to run to have `command` done on `host`. `launcher`: "srun", "mpirun", "ssh", or words for
// the shell, where {host} represents the host, which is their last word otherwise. The command
// follows as further words.
std::vector<std::string> launch_on(const std::string& host, const std::string& launcher,
                                   const std::string& job, const std::vector<std::string>& command);

}  // namespace vftrace::tools
