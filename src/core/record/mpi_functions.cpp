// Names of the MPI functions.
#include "record/mpi_functions.hpp"

#include <cstdio>

namespace vftrace {
namespace {

struct Names {
    const char *c, *fortran, *pmpi;
};
constexpr Names names[] = {
#define VFTRACE_MPI_FUNCTION(name, fortran_name) {#name, fortran_name, "P" #name},
#include "mpi_functions.inc"
#undef VFTRACE_MPI_FUNCTION
};

}  // namespace

const char* mpi_name(FunctionId function) { return names[static_cast<std::size_t>(function)].c; }

const char* pmpi_name(FunctionId function) {
    return names[static_cast<std::size_t>(function)].pmpi;
}

const char* mpi_name(std::uintptr_t key, char* buffer) {
    if (key >> 3 >= function_count)
        return "(unknown MPI function)";
    const Names& function = names[key >> 3];
    switch (static_cast<CallName>(key >> 1 & 3)) {
    case CallName::c:
        return function.c;
    case CallName::fortran:
        return function.fortran;
    case CallName::sync:
        std::snprintf(buffer, 64, "%s_sync", function.c);
        break;
    case CallName::fortran_sync:
        std::snprintf(buffer, 64, "%s_sync", function.fortran);
    }
    return buffer;
}

}  // namespace vftrace
