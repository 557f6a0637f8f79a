// What MPI functions mean for ranks that wait in them, by their names in profiles.
#pragma once

#include <cstdint>
#include <string_view>

namespace vftrace {

enum class MpiCall : std::uint8_t {
    other,
    all_to_all,      // a collective that no rank can leave before all have entered it
    collective,      // another one
    waiting,         // the barrier that the option mpi.show_sync_time puts before a collective
    point_to_point,  // sends, receives, or waits for messages between two ranks
    start_or_end     // of MPI
};

// "MPI_Allreduce", "MPI_ALLREDUCE", "mpi_barrier_", "MPI_Bcast_sync".
MpiCall mpi_call(std::string_view name);

}  // namespace vftrace
