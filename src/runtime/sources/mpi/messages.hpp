// A communication matrix: figures by call path and peer, kept separately by each thread.
//
//   ThreadState::messages -> table of MessageEntry (Node*, peer) -> sent, received
//
// An entry is found by hashing and written only by its thread, without a lock. The path may belong
// to another thread: a request is booked by the thread that completes it, under the path that
// started it. A collective is booked as one sum, not peer by peer.
#pragma once

#include <cstdint>

#include "record/message_figures.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// What one call sends and receives, however many messages that is.
struct Traffic {
    std::uint64_t sends = 0, send_bytes = 0;
    std::uint64_t receives = 0, receive_bytes = 0;
};

// What is known about a receive when it is posted: the source, if it was named, and the bytes that
// there is room for.
struct PostedReceive {
    enum Trust : std::uint8_t {
        in_status,         // size and source are in the status
        in_status_if_any,  // ... but only if the source was not named; else they are as posted
        as_posted          // partitioned: the whole message arrives
    };
    Trust trust = in_status;
    int peer = 0;  // in the communicator
    std::uint64_t bytes = 0;
};

// Book one message of a call of `node` that took `ticks`, or those of a collective (peer
// all_peers). `thread` is the calling thread's state.
void book_sent(ThreadState& thread, const Node* node, std::int32_t peer, std::uint64_t bytes,
               std::uint64_t ticks);
void book_received(ThreadState& thread, const Node* node, std::int32_t peer, std::uint64_t bytes,
                   std::uint64_t ticks);
void book_collective(ThreadState& thread, const Node* node, const Traffic& traffic,
                     std::uint64_t ticks);

}  // namespace vftrace
