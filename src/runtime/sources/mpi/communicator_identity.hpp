// The number of a communicator in traces. All of its ranks compute the same number without
// communication, so that their traces can be matched.
//
// Creating a communicator is a collective on another one, and collectives have the same number on
// all ranks: parent, number and group identify the new one. If the creation is not observed
// (nonblocking MPI_Comm_idup, MPI_Intercomm_create, sessions), the communicator is numbered within
// its group by first use.
#pragma once

#include <cstdint>

#include "mpi/communicators.hpp"

namespace vftrace {

// Sets the identity of a communicator that collective `number` of `parent` has just created. Does
// nothing if it already has one.
void set_identity(const CommunicatorInfo& made, const CommunicatorInfo& parent,
                  std::uint64_t number);

// Never 0. If the creation of the communicator was not observed, it is decided now.
std::uint64_t identity_of(const CommunicatorInfo& info);

// The number of the collective that has just been called on the communicator, from 0. Two threads
// must not call collectives of one communicator at the same time.
inline std::uint64_t next_collective(const CommunicatorInfo& info) { return info.collectives++; }

}  // namespace vftrace
