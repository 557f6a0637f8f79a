// Operations that have been started and not yet been seen to complete.
//
// They are found by the request's handle, which may occur several times: libraries use one handle
// for all small sends that are already complete, and with threads a handle may be reused before its
// last operation is removed. Then the oldest one is taken, or with threads the calling thread's
// own. Any thread may complete what another one has started. MPI is never asked whether an
// operation is complete: the program's own Wait and Test calls show that.
#pragma once

#include <cstdint>

#include "mpi/communicators.hpp"
#include "mpi/message_trace.hpp"
#include "mpi/messages.hpp"

namespace vftrace {

struct PendingOperation {
    Word handle;
    const Node* node;              // the call that started it; nullptr: that was not recorded
    std::uint64_t start;           // ticks
    Traffic traffic;               // what it sends and receives
    const CommunicatorInfo* info;  // for a receive, to translate the source; if traced
    PostedReceive posted_receive;  // what was known about a receive when it was posted
    std::int32_t peer;  // where it sends to, or one-sided: the target; all_peers: a collective
    bool receives_by_status;  // a point-to-point receive
    bool persistent, active;
    bool cancelled;                // MPI_Cancel was called
    TracedContent sent, received;  // if traced; else their types are not known
    CollectiveTrace* trace;        // the records of a traced collective
    PendingOperation* next;
};
// Two cache lines.
static_assert(sizeof(PendingOperation) <= 128);

// Stores a copy, which takes over the reference to `trace`. Without memory the operation is not
// recorded.
void add_pending(const PendingOperation& operation);

// False until the first operation is stored: programs without requests need not look for any.
bool may_be_pending();

// A persistent operation is started, by a call of `node` (nullptr if that is not recorded).
void start_pending(Word handle, const Node* node, std::uint64_t ticks);
// MPI_Cancel. Whether it succeeds is known when the request completes.
void cancel_pending(Word handle);

// How a request ended for its owner.
struct RequestEnd {
    bool recorded = true;  // false: the call failed; nothing was sent or received
    bool released = true;  // the handle is null now; false: a persistent one may be started again
    bool stays = false;    // complete, but the program still holds the request
    Word status = 0;       // of the operation, 0 if there is none
    std::uint64_t ticks = 0;
    CompletingCall call = {};  // the one that has ended it
};
// The operation has ended: books its messages for the calling thread.
void complete_pending(Word handle, const RequestEnd& end);
// MPI_Request_free: an operation that is still in progress continues unobserved.
void free_pending(Word handle, const CompletingCall& call, std::uint64_t ticks);

// For messages of matched probes, which do not have requests: a copy of the operation, and its end.
bool find_pending(Word handle, PendingOperation& operation);
void remove_pending(Word handle);

// Whether an operation refers to the communicator. Examines all operations.
bool is_needed_by_pending(const CommunicatorInfo* info);

// The counts of the whole run; `open` are those that are pending now.
RequestCounts request_counts();

}  // namespace vftrace
