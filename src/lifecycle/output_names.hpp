// Where the files of a run go, so that those of other runs are not lost.
#pragma once

#include <string>

#include "config/options.hpp"

namespace vftrace {

// The directory of all files, absolute: it is resolved now, because programs change theirs. What
// cannot be used (no such directory) is reported, and the default taken. Of a run with a folder of
// its own it is the folder, of that name, which need not be there yet.
std::string output_directory(const Options& options, const std::string& run_name);

// "<directory>/<name>" from the configuration and the program's name.
std::string output_base(const std::string& directory, const Options& options,
                        const std::string& application);

// The launcher's name of the job of this process, as far as the environment shows;
// the same for all ranks.
std::string job_name();

// "_task7" for a program without MPI that a launcher starts many times in one directory, else "".
std::string task_suffix();

}  // namespace vftrace
