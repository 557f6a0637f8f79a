// The ranks of MPI_COMM_WORLD that can communicate at the start of the program.
//
// At that time it is not known which ranks have something to send, or whether they are linked to
// the library at all. A rank sends a greeting to its parent, which replies if it takes part. Only
// ranks that have answered each other continue; they may wait for each other without a limit,
// because none of them executes code of the program in the meantime.
//
//   child ── hello ──> parent        within two seconds, otherwise: child ── end of questions ──>
//   child <── here ── parent
//   child <─ the actual data ─> parent
//
// A rank that does not take part is left with two small unreceived messages, with a tag that
// programs are unlikely to use.
#pragma once

#include <cstddef>
#include <span>

#include "collate/clock_offsets.hpp"
#include "collate/communicator.hpp"

namespace vftrace {

// All ranks.
class WorldCommunicator final : public SmallMessages {
  public:
    // Whether MPI is initialised and has the functions that are needed.
    static bool is_possible();

    int rank() const override;
    int size() const override;
    bool send(int to, const void* data, std::size_t bytes) override;
    bool receive_into(int from, std::span<char> room, std::size_t& bytes) override;
};

// Finds the ranks that take part, in MPI_Init.
TreeNeighbours find_neighbours(WorldCommunicator& ranks);

}  // namespace vftrace
