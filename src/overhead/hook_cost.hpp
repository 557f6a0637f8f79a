// What one call's hooks cost, measured in the process itself.
#pragma once

namespace vftrace {

// Nanoseconds for entry and exit hook together, as the program sees them: best of several loops
// over a tree of its own that nobody else sees. Takes about 0.1 ms. Recording must have stopped.
double measure_hook_pair_ns(double ns_per_tick);

// The same for the wrapper of an MPI call, without the messages that it may record.
double measure_mpi_wrapper_ns(double ns_per_tick);

}  // namespace vftrace
