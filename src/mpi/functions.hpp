// The MPI functions that are wrapped: their names and where the real ones are.
#pragma once

#include <cstdint>

#include "mpi/family.hpp"

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

// A call of MPI_x goes on to the next MPI_x, which may be another tool's; one of PMPI_x to PMPI_x.
enum Entry : std::uint8_t { called_as_mpi, called_as_pmpi };

// How a call is shown: under the name that the source uses, or as the barrier that
// mpi.show_sync_time puts before a collective.
enum class CallName : std::uint8_t { c, fortran, sync, fortran_sync };

// The key of an MPI call's node stands for function and name, as a number below 4096 * 8 whose
// lowest bit is set: no address of a function or region.
inline std::uintptr_t mpi_key(FunctionId function, CallName name) {
    return static_cast<std::uintptr_t>(function) << 3 | static_cast<std::uintptr_t>(name) << 1 | 1;
}
// The text for such a key, "MPI_Allreduce_sync"; `buffer` has room for 64 characters. A text that
// says so for a number that is no key.
const char* mpi_name(std::uintptr_t key, char* buffer);
const char* mpi_name(FunctionId function);
const char* pmpi_name(FunctionId function);

extern void* real_functions[2][function_count];  // as far as they have been looked up
void* find_real_function(FunctionId function, Entry entry);

// The real function, nullptr if no MPI library in the process has it.
inline void* real_function(FunctionId function, Entry entry = called_as_pmpi) {
    void* real = __atomic_load_n(&real_functions[entry][static_cast<std::size_t>(function)],
                                 __ATOMIC_RELAXED);
    return real ? real : find_real_function(function, entry);
}

// Calls the real PMPI function with the arguments as words. Must exist: see real_function().
template <class... Words>
int call_real(FunctionId function, Words... words) {
    using Function = int (*)(decltype(Word(words))...);
    return reinterpret_cast<Function>(real_function(function))(Word(words)...);
}

template <class T>
Word word_of(T* pointer) {
    return reinterpret_cast<Word>(pointer);
}

}  // namespace vftrace
