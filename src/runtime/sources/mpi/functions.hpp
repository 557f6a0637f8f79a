// Where the real MPI functions are.
#pragma once

#include <cstdint>

#include "mpi/family.hpp"
#include "record/mpi_functions.hpp"

namespace vftrace {

// A call of MPI_x continues to the next MPI_x, which may be another tool's; a call of PMPI_x
// continues to PMPI_x.
enum Entry : std::uint8_t { called_as_mpi, called_as_pmpi };

extern void* real_functions[2][function_count];  // as far as they have been looked up
void* find_real_function(FunctionId function, Entry entry);

// The real function, nullptr if no MPI library in the process has it.
inline void* real_function(FunctionId function, Entry entry = called_as_pmpi) {
    void* real = __atomic_load_n(&real_functions[entry][static_cast<std::size_t>(function)],
                                 __ATOMIC_RELAXED);
    return real ? real : find_real_function(function, entry);
}

// Calls the real PMPI function with the arguments as words. The function must exist: see
// real_function().
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
