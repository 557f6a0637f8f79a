// Where the files of a run go, so that no other run's files are lost.
#pragma once

#include <cstdint>
#include <string>

#include "config/options.hpp"

namespace vftrace {

// "<absolute directory>/<name>" from the configuration and the program's name. The directory is
// resolved now, for programs change theirs. What cannot be used (no such directory) is told, and
// the default taken.
std::string output_base(const Options& options, const std::string& application);

// "_task7" for a program without MPI that a launcher starts many times in one directory, else "".
std::string task_suffix();

// `base` ("<directory>/<name>_"), or, if a process that ran at the same time has written
// `first_file` ("all.log") under this name, one with our process id: "<directory>/<name>_<pid>_".
// Reserves the name for us.
std::string claim_output_base(const std::string& base, const std::string& first_file,
                              std::int64_t our_start_unix_ns);

}  // namespace vftrace
