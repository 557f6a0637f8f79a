// The members of the communicators of a trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "record/trace_words.hpp"

namespace vftrace {

class TracedCommunicators {
  public:
    // Adds the payload of a RecordKind::communicator. Large communicators have several records, in
    // order. Returns false if it is invalid.
    bool add(std::span<const std::uint64_t> words);

    // Ranks in MPI_COMM_WORLD, unknown_peer or no_peer (mpi/messages.hpp); nullptr if the
    // communicator is not known.
    const std::vector<std::int32_t>* ranks(std::uint32_t id, PeerList list) const;

  private:
    struct Communicator {
        std::uint64_t key;
        std::vector<std::int32_t> ranks;
    };
    static std::uint64_t key_of(std::uint32_t id, PeerList list) {
        return std::uint64_t{id} << 32 | static_cast<std::uint32_t>(list);
    }
    std::vector<Communicator> sorted_;  // by key
};

// The members of the communicators of a trace, and their identity on all ranks.
class TracedGroups {
  public:
    struct Group {
        std::uint32_t id;  // in records
        std::uint64_t identity;
        std::uint32_t size;               // 0 if not known
        std::vector<std::int32_t> ranks;  // in MPI_COMM_WORLD; empty: rank i is i
    };

    // Adds the payload of a RecordKind::group. Large groups have several records, in order. Returns
    // false if it is invalid.
    bool add(std::span<const std::uint64_t> words);

    // Sorted by id.
    const std::vector<Group>& groups() const { return groups_; }
    // Index of a group; no_index if it is not known.
    std::uint32_t index_of(std::uint32_t id) const;

  private:
    std::vector<Group> groups_;
};

}  // namespace vftrace
