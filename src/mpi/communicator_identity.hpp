// The number of a communicator in traces. All of its ranks compute the same number without
// communication, so that their traces can be matched.
//
// Making a communicator is a collective of another one, and collectives have the same number on all
// ranks: parent, number and group identify it. If that is not observed (nonblocking MPI_Comm_idup,
// MPI_Intercomm_create, sessions), it is numbered within its group by first use.
#pragma once

#include <cstdint>

#include "mpi/communicators.hpp"

namespace vftrace {

// Of a communicator that collective `number` of `parent` has just made. Does nothing if it has an
// identity already.
void set_identity(const CommunicatorInfo& made, const CommunicatorInfo& parent,
                  std::uint64_t number);

// Not 0. Of one whose making was not seen it is decided now.
std::uint64_t identity_of(const CommunicatorInfo& info);

// The number of the collective that has just been called on the communicator, from 0. Collectives
// of one communicator are not called by two threads at a time.
inline std::uint64_t next_collective(const CommunicatorInfo& info) { return info.collectives++; }

}  // namespace vftrace
