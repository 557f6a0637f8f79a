// Turns the arguments of MPI calls into messages that are booked and, if the thread is traced,
// written to its trace: sizes, ranks, and what to record.
#pragma once

#include "mpi/call.hpp"
#include "mpi/communicators.hpp"
#include "mpi/elements.hpp"
#include "mpi/message_trace.hpp"
#include "mpi/messages.hpp"

namespace vftrace {

// How the operation of a function ends.
enum class Completion : std::uint8_t {
    blocking,   // when the function returns
    request,    // when its request is completed: MPI_Isend
    persistent  // each time its request has been started and completed: MPI_Send_init
};

// Whether the messages of a call that has returned `result` are recorded. For a persistent
// operation, that is decided when it is started.
bool records_messages(const Call& call, int result, Completion completion = Completion::blocking);

// The path under which what this call starts is booked; nullptr if it is not recorded.
const Node* recording_node(const Call& call);

// The thread of a call that may start messages, if the thread is traced; else nullptr. If the call
// is not recorded, the calling thread.
ThreadState* traced_thread(const Call& call);

// The path and time of what a blocking call does.
inline MessageOrigin origin_of(const Call& call) {
    return {call.node(), call.start_ticks(), call.end_ticks()};
}

// Record a message to or from a rank of MPI_COMM_WORLD, if messages of this rank are recorded.
// `content` is for traced threads; its type is known if the message is to be in the trace.
void record_sent(ThreadState& thread, const MessageOrigin& origin, std::int32_t peer,
                 std::uint64_t bytes, const MessageContent& content);
void record_received(ThreadState& thread, const MessageOrigin& origin, std::int32_t peer,
                     std::uint64_t bytes, const MessageContent& content);

// Messages of a blocking call. `count` is the number of elements that a receive had room for.
void send_done(const Call& call, const Elements& elements, int tag, int peer,
               const CommunicatorInfo* info);
void receive_done(const Call& call, std::int64_t count, Word datatype, const CommunicatorInfo* info,
                  Word status);

// An operation with a request, at the address `request`: what it sends (to a peer, unless that is
// MPI_PROC_NULL) and receives.
struct StartedSend {
    Elements elements = {};
    int tag = 0, peer = 0;
};
struct StartedReceive {
    std::int64_t count = 0;  // that there is room for
    Word datatype = 0;
    int tag = 0;
    PostedReceive posted = {};
};
void messages_started(const Call& call, const StartedSend* send, const StartedReceive* receive,
                      Word communicator, Word request, Completion completion);

// A collective, whose traffic and, if it is traced, records are known.
void collective_done(const Call& call, const Traffic& traffic, const CollectiveTrace* trace);
void collective_started(const Call& call, const Traffic& traffic, CollectiveTrace* trace,
                        const CommunicatorInfo& info, Word request, Completion completion);

// A one-sided operation with a target: what goes there and what comes from there, if anything.
void one_sided_done(const Call& call, const Elements* sent, const Elements* received,
                    std::int32_t target);
void one_sided_started(const Call& call, const Elements* sent, const Elements* received,
                       std::int32_t target, Word request);

// A word of the program that an operation may or may not have.
class OptionalWord {
  public:
    OptionalWord() = default;
    OptionalWord(Word& word) : word_(&word) {}
    Word& operator*() const { return *word_; }
    explicit operator bool() const { return word_ != nullptr; }

  private:
    Word* word_ = nullptr;
};

// Room for results that the program ignores but we need. Not zeroed, because that would cost more
// than the rest.
template <std::size_t bytes>
struct Storage {
    Storage() {}
    Word address() { return reinterpret_cast<Word>(memory); }
    alignas(8) char memory[bytes];
};
inline constexpr std::size_t largest_status = 64;

}  // namespace vftrace
