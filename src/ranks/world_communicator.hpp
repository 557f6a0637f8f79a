// Which ranks of MPI_COMM_WORLD can be talked to while the program has only begun.
//
// At that time nobody knows which ranks have something to say, or are linked to the library at all.
// A rank says hello to its parent, which, if it is there, says so. Only those who have answered
// each other go on; they wait for each other as long as it takes, for nobody of them is in the
// program meanwhile.
//
//   child ── hello ──> parent        within two seconds, else: child ── end of questions ──>
//   child <── here ── parent
//   child <─ what it is about ─> parent
//
// A rank that has nothing to say is left with two small messages of a tag that programs hardly use.
#pragma once

#include <cstddef>
#include <span>

#include "collate/clock_offsets.hpp"
#include "collate/communicator.hpp"

namespace vftrace {

// All ranks.
class WorldCommunicator final : public SmallMessages {
  public:
    // Whether MPI runs here and has the functions that are needed.
    static bool is_possible();

    int rank() const override;
    int size() const override;
    bool send(int to, const void* data, std::size_t bytes) override;
    bool receive_into(int from, std::span<char> room, std::size_t& bytes) override;
};

// Finds out with whom to talk, in MPI_Init.
TreeNeighbours find_neighbours(WorldCommunicator& ranks);

}  // namespace vftrace
