// The MPI functions that are wrapped, and the keys and names of their nodes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vftrace {

enum class FunctionId : std::uint16_t {
#define VFTRACE_MPI_FUNCTION(name, fortran_name) name,
#include "mpi_functions.inc"
#undef VFTRACE_MPI_FUNCTION
};
inline constexpr std::size_t function_count = 0
#define VFTRACE_MPI_FUNCTION(name, fortran_name) +1
#include "mpi_functions.inc"
#undef VFTRACE_MPI_FUNCTION
    ;

// How a call is shown: under the name that the source uses, or as the barrier that
// mpi.show_sync_time puts before a collective.
enum class CallName : std::uint8_t { c, fortran, sync, fortran_sync };

// The key of an MPI call's node encodes function and name as a number below 4096 * 8 with its
// lowest bit set, which cannot be the address of a function or region.
inline std::uintptr_t mpi_key(FunctionId function, CallName name) {
    return static_cast<std::uintptr_t>(function) << 3 | static_cast<std::uintptr_t>(name) << 1 | 1;
}
// The text for such a key, for example "MPI_Allreduce_sync"; `buffer` has room for 64 characters.
// For a number that is not a key, the text says that the function is unknown.
const char* mpi_name(std::uintptr_t key, char* buffer);
const char* mpi_name(FunctionId function);
const char* pmpi_name(FunctionId function);

}  // namespace vftrace
