// The parameters that the user has marked, and their labels.
#ifndef VFTRACE_TAINT_RUNTIME_PARAMETERS_HPP
#define VFTRACE_TAINT_RUNTIME_PARAMETERS_HPP

#include "taint/runtime/program.hpp"
#include "taint/runtime/sanitizer.hpp"

namespace vftrace::taint {

constexpr int label_count = 8;
constexpr Parameters ranks_parameter = Parameters{1} << 63;

// Reads the environment; marks the arguments of main that VFTR_PARAMETERS names.
void start_parameters(int argument_count, char** arguments);

// The parameters that a label stands for in this run.
Parameters parameters_of(std::uint32_t label);
// The label of p; 0 in programs without MPI.
Label label_of_ranks();

// The names in "parameters" of the result, and those for which another run is needed. Index 63 is
// p.
std::size_t parameter_count();
const char* parameter_name(std::size_t index);
Parameters known_parameters();
const Array<const char*>& more_parameters();

// Adds the names of an earlier run, which this run continues.
void continue_parameters(const char* const* names, std::size_t count);

// Whether the program uses MPI; one bit of labels is then that of p.
bool uses_mpi();

}  // namespace vftrace::taint

#endif
