// The messages of all threads of a trace in the order of their start times; and, in the same order,
// the MPI operations as the program called them: a collective is one operation.
//
// The messages of one chunk are sorted in memory, and the chunks are merged. A chunk is in memory
// only while the merge passes the time between its first and last message. A collective is one
// record until it is expanded into a message for each peer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vfd/trace_file_reader.hpp"
#include "vfd/traced_communicators.hpp"

namespace vftrace {

struct TracedMessage {
    std::uint64_t start, end;  // ticks
    std::uint32_t thread;      // thread of the call
    std::uint32_t node;        // of that thread
    std::int32_t peer;         // rank in MPI_COMM_WORLD, or unknown_peer
    std::int64_t count;
    std::int32_t type_bytes;
    std::int16_t datatype;
    bool received;
    std::int32_t tag;

    // For operations.
    struct Completion {
        std::uint64_t enter = 0;             // ticks
        std::uint32_t thread = 0, node = 0;  // of the call that noticed the completion
    };
    bool has_completion = false;  // by a call other than the one that started it
    Completion completion{};
    std::uint32_t communicator = 0;  // GroupRecord::id; 0 if not known
    bool is_collective = false;      // then `peer` is the root, or -1
    CollectiveShape shape{};
    std::uint64_t number = 0;  // of the collective in its communicator
};

class MessageMerge {
  public:
    // Reads all chunks of events once, if there are messages, for the communicators and to find
    // which chunks have messages and from when on: the header of a chunk may be wrong by one,
    // because threads continue while it is written. `own_rank`: in MPI_COMM_WORLD.
    MessageMerge(TraceFileReader& file, std::int32_t own_rank);

    // Starts again from the beginning, with operations: messages from one rank to another, and
    // collectives.
    void restart_with_operations();
    const TracedGroups& groups() const { return groups_; }

    // The next message, without advancing; nullptr at the end.
    const TracedMessage* peek();
    // Removes the message returned by peek().
    void advance() { has_current_ = false; }
    // Notes that the message is invalid.
    void note_damage() { file_.note_damage(item_chunk_); }

  private:
    // A message, or a collective.
    struct Item {
        TracedMessage message;
        std::uint32_t number;  // in the order of the chunk
        std::uint16_t flags;   // MessageFlags
        bool is_fan;
        bool is_operation;
        std::uint32_t communicator;
        std::uint32_t first_peer, peers;  // of fan_counts; `peers` 0: all of them
        std::size_t first_count;          // in OpenChunk::counts
    };
    struct OpenChunk {
        std::size_t number;
        std::vector<Item> items;
        std::vector<PeerCount> counts;
        std::size_t next = 0;
        std::uint64_t next_start() const { return items[next].message.start; }
    };
    class ItemReader;
    static bool is_later(const std::unique_ptr<OpenChunk>& a, const std::unique_ptr<OpenChunk>& b);

    struct WaitingChunk {
        std::uint64_t first_start;  // of its messages
        std::size_t number;
    };
    void survey();
    void open_chunk(std::size_t number);
    void open_chunks_in_time();
    bool start_next_item();
    bool next_of_fan();

    TraceFileReader& file_;
    std::int32_t own_rank_;
    TracedCommunicators communicators_;
    TracedGroups groups_;
    bool wants_operations_ = false;
    std::vector<WaitingChunk> chunks_;              // chunks with messages, the earliest one last
    std::vector<WaitingChunk> waiting_;             // those that are left
    std::vector<std::unique_ptr<OpenChunk>> open_;  // a heap, the earliest chunk on top
    std::vector<std::uint64_t> buffer_;

    Item item_{};
    std::size_t item_chunk_ = 0;
    std::vector<PeerCount> counts_;  // of item_, if it is a fan with counts
    const std::vector<std::int32_t>* peers_ = nullptr;
    std::uint32_t next_peer_ = 0, end_of_peers_ = 0;  // indices into peers_
    TracedMessage current_{};
    bool has_current_ = false;
};

}  // namespace vftrace
