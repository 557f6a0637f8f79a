// The processes that `vftrace top` and related commands are asked to watch.
#pragma once

#include <string>
#include <vector>

#include "live/find_processes.hpp"

namespace vftrace::tools {

struct TopTarget {
    std::string who;   // a process id, the name of a program, or empty
    bool job = false;  // all ranks of its MPI job on this host
};

// Throws CommandError if there are none, or if it is not clear which are meant; then the text lists
// the candidates.
std::vector<FoundProcess> processes_of(const TopTarget& target);

}  // namespace vftrace::tools
