// Communicators and windows: their peers as ranks of MPI_COMM_WORLD.
#pragma once

#include <cstdint>

#include "mpi/family.hpp"

namespace vftrace {

// The processes that messages of a collective go to or come from.
enum class PeerSet : std::uint8_t {
    members,        // of an intercommunicator: of the remote group
    local_members,  // of its local group
    sources,
    destinations
};
inline constexpr std::size_t peer_sets = 4;

// The cached data of one communicator, or of the group of one window. Created when the first
// message on it is recorded, and freed with it; open requests may keep it longer.
struct CommunicatorInfo {
    Word handle;
    bool inter;  // an intercommunicator: peers are those of the remote group
    int rank;    // ours, in the local group
    int local_size;
    int size;          // of the peers: the local group, or the remote one
    const int* world;  // rank in MPI_COMM_WORLD by rank of the peer group; nullptr: the same number
    const int* local_world;  // the same for the local group, nullptr if that is `world`
    int listed_peers;        // how many peers are in mpi.only_for_ranks

    // Neighbours in MPI_COMM_WORLD, in the topology's order, no_peer where there is none; filled in
    // by the first neighbourhood collective.
    bool neighbours_known;
    int source_count, destination_count;
    const int *sources, *destinations;

    // For the trace (mpi/message_trace.cpp): its id, 0 before its first use; and, for each PeerSet,
    // the thread in whose trace the members were last described: ThreadRecord::number + 1.
    mutable std::uint32_t trace_id;
    mutable std::uint32_t recorded[peer_sets];
    mutable std::uint32_t recorded_group;  // likewise, for its group
    // The identity of the communicator on all of its ranks (mpi/communicator_identity.hpp); 0: not
    // known yet. And the number of its collectives so far.
    mutable std::uint64_t identity;
    mutable std::uint64_t collectives;

    CommunicatorInfo* next;  // with the same hash
};

// nullptr if nothing can be recorded for this communicator: no MPI, a null handle, no memory. Does
// not wait for other processes.
const CommunicatorInfo* communicator_info(Word communicator);
// The same for the group of a window; its ranks are targets.
const CommunicatorInfo* window_info(Word window);
// With the neighbours filled in; nullptr if the communicator has no topology.
const CommunicatorInfo* communicator_with_neighbours(Word communicator);

// Afterwards the handles may be used for other objects.
void forget_communicator(Word communicator);
void forget_window(Word window);

// Rank in MPI_COMM_WORLD of a peer: no_peer for MPI_PROC_NULL (or any invalid rank), unknown_peer
// for a process that is not in it.
std::int32_t world_rank(const CommunicatorInfo& info, int peer);

}  // namespace vftrace
