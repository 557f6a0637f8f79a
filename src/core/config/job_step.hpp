// How processes that a launcher started together recognise each other, by the environment of one.
#pragma once

#include <string>
#include <unistd.h>

namespace vftrace {

// Whether a launcher started further processes together with this one.
bool is_one_of_several(char* const* environment = environ);

// The launcher's name for the processes that it started together, and only these: the same for all
// of them. Empty if it does not provide one.
std::string launcher_step(char* const* environment = environ);

// The batch system's name of the job that this process runs in, or empty.
std::string batch_job(char* const* environment = environ);

}  // namespace vftrace
