// What threads write into their event buffers, and what the chunks of a .tmpvfd file contain: words
// of 64 bits. An entry or exit is one word; everything else is a record of several words.
//
//   entry, exit:  bits 0-1 WordKind, 2-23 Node::number, 24-63 ticks since the chunk's base_ticks
//   record:       bits 0-1 WordKind::record, 2-7 RecordKind, 8-31 number of words that follow,
//                 32-63 depends on the kind
//
// Ticks that occupy a whole word are absolute, on the clock of the tree's times.
#pragma once

#include <cstdint>

#include "record/collective_shapes.hpp"
#include "record/task_moments.hpp"

namespace vftrace {

// A word that has not been written (yet) is 0.
enum class WordKind : std::uint64_t { none = 0, enter = 1, exit = 2, record = 3 };

inline constexpr unsigned word_node_bits = 22, word_ticks_shift = 24, word_ticks_bits = 40;

constexpr WordKind word_kind(std::uint64_t word) { return static_cast<WordKind>(word & 3); }
constexpr std::uint64_t event_word(WordKind kind, std::uint32_t node, std::uint64_t ticks) {
    return ticks << word_ticks_shift | std::uint64_t{node} << 2 | static_cast<std::uint64_t>(kind);
}
constexpr std::uint32_t word_node(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> 2) & ((1u << word_node_bits) - 1);
}
constexpr std::uint64_t word_ticks(std::uint64_t word) { return word >> word_ticks_shift; }

enum class RecordKind : std::uint64_t {
    unfinished,    // being written; its words are not valid
    message,       // MessageRecord, and a CompletionRecord if another call completed it
    fan,           // FanRecord: a message for each peer, all of the same size
    fan_counts,    // FanRecord, then one PeerCount per peer, from FanRecord::first_peer on
    communicator,  // CommunicatorRecord, then ranks of MPI_COMM_WORLD as std::int32_t
    readings,      // counter readings, one word each: for the entry or exit that follows
    waited,        // GapRecord: the thread waited for room in its buffer
    dropped,       // GapRecord: events in this time are missing
    sampled,       // ticks, one word: the thread was in node `detail`, which has lost its hooks
    task,          // TaskRecord
    collective,    // CollectiveRecord, and possibly a CompletionRecord, as above
    group,         // GroupRecord, then ranks of MPI_COMM_WORLD as std::int32_t
    left_out       // LeftOutRecord: events before the next one that the interval left out
};

inline constexpr unsigned record_words_shift = 8, record_words_bits = 24, record_detail_shift = 32;

constexpr std::uint64_t record_word(RecordKind kind, std::uint64_t words, std::uint32_t detail) {
    return std::uint64_t{detail} << record_detail_shift | words << record_words_shift |
           static_cast<std::uint64_t>(kind) << 2 | static_cast<std::uint64_t>(WordKind::record);
}
constexpr RecordKind record_kind(std::uint64_t word) {
    return static_cast<RecordKind>(word >> 2 & 63);
}
constexpr std::uint64_t record_words(std::uint64_t word) {
    return word >> record_words_shift & ((1u << record_words_bits) - 1);
}
constexpr std::uint32_t record_detail(std::uint64_t word) {
    return static_cast<std::uint32_t>(word >> record_detail_shift);
}

enum MessageFlags : std::uint16_t {
    message_received = 1,         // else sent
    fan_skips_self = 2,           // no message to or from the rank itself
    fan_sources = 4,              // peers are the communicator's sources (neighbourhoods)
    fan_destinations = 8,         // ... its destinations
    message_point_to_point = 16,  // neither part of a collective nor one-sided
};

// A message of MPI. Its path is that of the call that started it: node `node` of the thread with
// the number in the record's detail; the thread that noticed the completion is that of the chunk.
struct MessageRecord {
    std::uint64_t start, end;  // ticks: from the call to the noticed completion
    std::uint32_t node;
    std::int32_t peer;  // rank in MPI_COMM_WORLD, or unknown_peer
    std::int64_t count;
    std::int32_t type_bytes;  // size of an element
    std::int16_t datatype;    // index as in vfd files (vfd/vfd_format.hpp); -1: derived
    std::uint16_t flags;      // MessageFlags
    std::int32_t tag;
    std::uint32_t communicator;  // GroupRecord::id; 0: unknown
};
static_assert(sizeof(MessageRecord) == 48);

// The call, for example of MPI_Wait, that noticed the completion of what another call had started.
// It was made by the chunk's thread, and ended when the message or collective did.
struct CompletionRecord {
    std::uint64_t enter;  // ticks
    std::uint32_t node;   // of the chunk's thread
    std::uint32_t unused;
};
static_assert(sizeof(CompletionRecord) == 16);

// The messages of a collective: the same for all peers of a communicator, which an earlier record
// describes.
struct FanRecord {
    std::uint64_t start, end;
    std::uint32_t node;
    std::uint32_t communicator;  // CommunicatorRecord::id
    std::int64_t count;          // to or from each peer; not used by fan_counts
    std::int32_t type_bytes;
    std::int16_t datatype;
    std::uint16_t flags;
    std::int32_t tag;
    std::uint32_t first_peer;  // for fan_counts: index of the first one
};
static_assert(sizeof(FanRecord) == 48);

struct PeerCount {
    std::int64_t count;
    std::int32_t type_bytes;
    std::int16_t datatype;
    std::int16_t unused;
};
static_assert(sizeof(PeerCount) == 16);

// One rank's part in a collective. The path is that of the call that started it, as in
// MessageRecord.
struct CollectiveRecord {
    std::uint64_t start, end;  // ticks: from the call to the noticed completion
    std::uint64_t number;  // counts the communicator's collectives from 0; the same on all ranks
    std::uint32_t node;
    std::uint32_t communicator;  // GroupRecord::id
    std::int32_t root;           // rank in MPI_COMM_WORLD; -1: none
    CollectiveShape shape;
};
static_assert(sizeof(CollectiveRecord) == 40);

// The members of a communicator, and its identity on all ranks. Large groups are split into several
// records. Without a list of ranks, member i is rank i. The members of an intercommunicator are not
// recorded.
struct GroupRecord {
    std::uint64_t identity;  // the same on all its ranks, and different for all other communicators
    std::uint32_t id;        // on this process
    std::uint32_t size;      // of the whole group; 0: unknown
    std::uint32_t first = 0;  // index of the first member in this record
    std::uint32_t count = 0;  // of the ranks in this record
};
static_assert(sizeof(GroupRecord) == 24);

enum class PeerList : std::uint32_t { members, sources, destinations };

// The peers that a communicator reaches. Large lists are split into several records. Peers that are
// not recorded (mpi.only_for_ranks, MPI_PROC_NULL) have no_peer as their rank.
struct CommunicatorRecord {
    std::uint32_t id;
    PeerList list;
    std::uint32_t size;   // of the whole list
    std::uint32_t first;  // index of the first peer in this record
    std::int32_t own;     // index of the rank itself among the members; -1: intercommunicator
    std::uint32_t count;  // of the ranks in this record
};
static_assert(sizeof(CommunicatorRecord) == 24);

// An event of an asynchronous task, on the chunk's thread. The task's path is node `node` of the
// thread with the number in the record's detail.
struct TaskRecord {
    std::uint64_t ticks;
    std::uint64_t task;  // a number that is unique in the process
    std::uint32_t node;
    TaskMoment moment;
};
static_assert(sizeof(TaskRecord) == 24);

struct GapRecord {
    std::uint64_t start, end;  // ticks
    std::uint64_t events;      // number of missing events
};

// Between two events of a thread. The record's detail is the number of the innermost node that was
// open throughout, or no_open_node.
struct LeftOutRecord {
    std::uint64_t ticks;   // of the later event
    std::uint64_t events;  // entries and exits that were left out
};
inline constexpr std::uint32_t no_open_node = 0xffffffff;

}  // namespace vftrace
