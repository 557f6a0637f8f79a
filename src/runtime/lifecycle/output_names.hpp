// Determines where the files of a run are written, so that those of other runs are not lost.
#pragma once

#include <string>

#include "config/options.hpp"

namespace vftrace {

// The absolute path of the directory of all files; it is determined now, because programs change
// their working directory. A directory that cannot be used is reported, and the default is used.
// For a run with its own folder it is that folder, named `run_name`, which need not exist yet.
std::string output_directory(const Options& options, const std::string& run_name);

// "<directory>/<name>" from the configuration and the program's name.
std::string output_base(const std::string& directory, const Options& options,
                        const std::string& application);

// The launcher's name of the job of this process, as far as the environment contains it; the same
// for all ranks.
std::string job_name();

// "_task7" for a program without MPI that a launcher starts many times in one directory, else "".
std::string task_suffix();

}  // namespace vftrace
