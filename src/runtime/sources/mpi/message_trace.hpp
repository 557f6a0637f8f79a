// Messages in traces: one record for each message of a call; for collectives, one for all messages
// that are alike.
//
//   booking, requests ──> trace_message()               ┐
//   collectives ──> CollectiveTrace ──> write()         ├─> trace_record(): the thread's buffer
//                   (kept until a request completes)    ┘
#pragma once

#include <cstdint>

#include "mpi/communicators.hpp"
#include "mpi/elements.hpp"
#include "tree/event_buffer.hpp"

namespace vftrace {

// A call that has completed what another one started. `node`: nullptr if there is none, or if it
// was not recorded.
struct CompletingCall {
    const Node* node = nullptr;
    std::uint64_t enter = 0;  // ticks
};

// The call that started a message, and its time in ticks.
struct MessageOrigin {
    const Node* node;
    std::uint64_t start, end;
    const CompletingCall* completed_by = nullptr;
};

// The data of a message kept until it is complete, if it will be in a trace.
struct TracedContent {
    TracedType type = {};
    std::int32_t tag = 0;
};

// The same with the communicator of a message from one rank to another; nullptr: one-sided, or part
// of a collective. The communicator is not initialised if the type is not known, because most
// messages are not traced.
struct MessageContent : TracedContent {
    MessageContent() {}
    MessageContent(const TracedContent& content, const CommunicatorInfo* of)
        : TracedContent(content), communicator(of) {}
    const CommunicatorInfo* communicator;
};

// In place of a tag, for collectives and one-sided operations.
inline constexpr std::int32_t no_tag = -1;

// The number of the communicator in records. Describes its members, if this thread has not yet done
// so; for traced threads only.
std::uint32_t traced_communicator(ThreadState& thread, const CommunicatorInfo& info);

// Writes the record of one message; for traced threads only. `flags`: MessageFlags.
void trace_message(ThreadState& thread, const MessageOrigin& origin, unsigned flags,
                   std::int32_t peer, std::uint64_t bytes, const MessageContent& content);

// Fill the list of a fan: one peer's entry, or the datatype of all entries, whose counts are
// already set; `all` are the elements of all peers together.
void set_peer_count(PeerCount& peer, const Elements& elements);
void set_datatype(PeerCount* list, int peers, const Elements& all);

// The records of one collective, without its path and times. Created when it is posted, because
// arrays and datatypes may be gone when it completes. Without memory it is not recorded.
class CollectiveTrace {
  public:
    // Which collective of its communicator it is, and which ranks wait for which in it.
    struct Place {
        CollectiveShape shape;
        std::int32_t root;  // rank in MPI_COMM_WORLD; -1: none
        std::uint64_t number;
    };

    CollectiveTrace() {}  // its parts are not initialised: most calls are not traced
    ~CollectiveTrace();
    CollectiveTrace(const CollectiveTrace&) = delete;
    CollectiveTrace& operator=(const CollectiveTrace&) = delete;

    void begin(const CommunicatorInfo& info, std::int32_t tag, const Place& place);
    // Without a number: only its messages are recorded, not its position.
    void begin(const CommunicatorInfo& info, std::int32_t tag);
    void message(unsigned flags, std::int32_t peer, const Elements& elements);
    // The same to or from each peer of a set.
    void fan(unsigned flags, PeerSet set, const Elements& elements);
    // Room for the counts to or from each of them, to be filled in; nullptr without memory.
    PeerCount* fan_counts(unsigned flags, PeerSet set, int peers);

    void write(ThreadState& thread, const MessageOrigin& origin) const;

    // Moves the records to a separate object, to which the caller has the only reference; nullptr
    // if there are none, or no memory.
    CollectiveTrace* keep();
    void add_reference() { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
    static void drop_reference(CollectiveTrace* trace);

  private:
    struct Part {
        enum Kind : std::uint8_t { message, fan, fan_counts } kind;
        PeerSet set;  // of a fan
        std::uint16_t flags;
        std::int32_t peer;    // of a message
        std::uint64_t bytes;  // of one message
        TracedType type;
        std::uint32_t list_size;  // of fan_counts
        PeerCount* list;
    };
    Part& add_part(unsigned flags);
    void write_place(ThreadState& thread, const MessageOrigin& origin) const;
    void write_fan(ThreadState& thread, const MessageOrigin& origin, const Part& part) const;

    static constexpr std::size_t most_parts = 4;  // for the root of a reduce-scatter
    std::size_t count_ = 0;
    std::uint32_t references_ = 1;
    bool has_place_;
    std::int32_t tag_;
    Place place_;
    const CommunicatorInfo* info_;
    Part parts_[most_parts];
};

}  // namespace vftrace
