// The hosts of a job, and how to run a command on one of them: by the job's launcher.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace::tools {

std::string own_host_name();
// Whether two names mean the same host: "n17" and "n17.cluster.example" do.
bool is_same_host(const std::string& a, const std::string& b);

// Whether a text can be the name of a host, or of a job: letters, digits and a few other characters
// that mean nothing to shells, without a '-' at the beginning, which would make it an option. What
// is found in files and processes is used for nothing else.
bool is_plain_name(std::string_view text);

// The hosts in "n1,n2,n[8-10]", or in the file of "@FILE", with a name at the beginning of each
// line; each host once, in order. Throws UsageError.
std::vector<std::string> hosts_in(const std::string& text);

struct JobHosts {
    std::vector<std::string> hosts;  // empty if not known
    std::string launcher;            // in the form of --launcher; "" if not known
};
// Finds the hosts from the batch system's variables; by the number `job`, for a Slurm job that this
// process is not part of; or from the command line of the mpirun that started the process `pid` (0
// if there is none), as far as that process and those between them belong to this user or to root.
// The launcher is the program with that name in this user's PATH.
JobHosts find_job_hosts(const std::string& job, std::int64_t pid);

// The command that runs `command` on `host`. `launcher`: "srun", "mpirun", "ssh", or words for the
// shell, in which {host} represents the host; without it, the host is added as their last word. The
// words of `command` follow.
std::vector<std::string> launch_on(const std::string& host, const std::string& launcher,
                                   const std::string& job, const std::vector<std::string>& command);

}  // namespace vftrace::tools
