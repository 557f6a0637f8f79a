// How processes that a launcher has started together recognise each other.
#pragma once

#include <string>

namespace vftrace {

// Whether a launcher has started more processes along with this one.
bool is_one_of_several();

// The launcher's name for the processes that it started together, and no others: the same for all
// of them. Empty if it does not say.
std::string launcher_step();

// The batch system's name of the job that this process runs in, or empty.
std::string batch_job();

}  // namespace vftrace
