// Where the files of a run go, so that no other run's files are lost.
#pragma once

#include <cstdint>
#include <string>

#include "config/options.hpp"

namespace vftrace {

// "<absolute directory>/<name>_" from the configuration and the program's name. The directory is
// resolved now, for programs change theirs. What cannot be used (no such directory) is told, and
// the default taken. Under a batch system's launcher every task of a job gets its own name.
std::string output_base(const Options& options, const std::string& application);

// `base`, or, if a process that ran at the same time has written its profile under this name, one
// with our process id: "<directory>/<name>_<pid>_". Reserves the name for us.
std::string claim_output_base(const std::string& base, std::int64_t our_start_unix_ns);

}  // namespace vftrace
