// The communication matrix of MPI, as stored in memory with a thread's tree, and in the tree file.
//
//   ThreadRecord::messages -> ThreadMessages -> MessageEntry (node, peer) -> sent, received
//
// Entries are written only by their thread (mpi/messages.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/mapped_table.hpp"
#include "record/node.hpp"

namespace vftrace {

// Values used in place of a peer's rank in MPI_COMM_WORLD.
inline constexpr std::int32_t unknown_peer = -1;  // not in it (MPI_Comm_spawn, MPI_Comm_connect)
inline constexpr std::int32_t all_peers = -2;     // the messages of collectives
inline constexpr std::int32_t no_peer = -3;       // MPI_PROC_NULL: there is no message

// Numbers of point-to-point and one-sided messages by size: bin 0 is for empty messages, bin b for
// those of 2^(b-1) to 2^b - 1 bytes.
struct SizeBin {
    std::uint64_t sent = 0, received = 0;
};
inline constexpr std::size_t size_bins = 65;

// The smallest and the largest size in bytes that belong to a bin.
constexpr std::uint64_t smallest_size(std::size_t bin) {
    return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
}
constexpr std::uint64_t largest_size(std::size_t bin) {
    return bin == 0 ? 0 : smallest_size(bin) - 1 + smallest_size(bin);
}

inline constexpr unsigned rate_fraction_bits = 64;
struct DirectionFigures {
    std::uint64_t messages, bytes, ticks;
    unsigned __int128 bytes_per_tick;  // sum over the messages, in units of 2^-64
};

struct MessageEntry {
    const Node* node;
    std::int32_t peer;
    DirectionFigures sent, received;
    MessageEntry* next_created;
};

// An entry of the table in which MessageEntry objects are found.
struct MessageIndex {
    MessageEntry* entry;

    struct Key {
        const Node* node;
        std::int32_t peer;
    };
    Key key() const { return {entry->node, entry->peer}; }
    MessageEntry*& mark() { return entry; }
    bool is(const Key& wanted) const {
        return entry->node == wanted.node && entry->peer == wanted.peer;
    }
    static std::uint64_t hash(const Key& wanted) {
        // Nodes are aligned to 64 bytes. Consecutive peers get different slots.
        return ((reinterpret_cast<std::uintptr_t>(wanted.node) >> 6 ^
                 std::uint64_t{static_cast<std::uint32_t>(wanted.peer)} << 32) *
                0x9e3779b97f4a7c15u) >>
               32;
    }
};

struct ThreadMessages {
    MappedTable<MessageIndex> index;  // used only by its thread
    MessageEntry* first;
    MessageEntry* newest;
    SizeBin sizes[size_bins];
};

// Requests that were not seen to end, or did not end by completing.
struct RequestCounts {
    std::uint64_t freed_early, cancelled, open;
};

}  // namespace vftrace
