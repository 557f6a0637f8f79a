// How processes that a launcher started together recognise each other.
#pragma once

#include <string>

namespace vftrace {

// Whether a launcher started further processes together with this one.
bool is_one_of_several();

// The launcher's name for the processes that it started together, and only these: the same for all
// of them. Empty if it does not provide one.
std::string launcher_step();

// The batch system's name of the job that this process runs in, or empty.
std::string batch_job();

}  // namespace vftrace
