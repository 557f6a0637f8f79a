// Whether a program uses MPI, as far as its file shows.
#pragma once

#include <string>

namespace vftrace::tools {

enum class MpiUse {
    none,     // no library that it is linked to, directly or not, belongs to an MPI
    certain,  // one does
    possible  // it is a script, a launcher or an interpreter, or its libraries are not known
};

struct LinkedLibraries {
    MpiUse mpi = MpiUse::possible;
    bool vftrace = false;  // libvftrace.so is among them, and so its wrappers of MPI
};

// Asks the dynamic loader which libraries it would load for the executable, without running it (a
// few milliseconds).
LinkedLibraries libraries_of(const std::string& path);

}  // namespace vftrace::tools
