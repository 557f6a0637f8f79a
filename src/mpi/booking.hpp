// From the arguments of MPI calls to booked messages: sizes, ranks, and what is to be recorded.
#pragma once

#include "mpi/call.hpp"
#include "mpi/communicators.hpp"
#include "mpi/messages.hpp"

namespace vftrace {

// How the operation of a function comes to its end.
enum class Completion : std::uint8_t {
    blocking,   // when the function returns
    request,    // when its request is completed: MPI_Isend
    persistent  // each time that its request, once started, is completed: MPI_Send_init
};

// Whether the messages of a call that has returned `result` are recorded. Of a persistent operation
// that is decided when it is started.
bool records_messages(const Call& call, int result, Completion completion = Completion::blocking);

// The path that what this call starts is booked under, nullptr if it is not recorded.
const Node* recording_node(const Call& call);

// Bytes of `count` elements of a datatype: what is transferred, without holes. Only for what MPI
// has just accepted.
std::uint64_t size_of(std::int64_t count, Word datatype);

// Bytes that a receive has got, by its status.
std::uint64_t received_bytes(Word status);

// Books a message from a rank of the communicator, if it is one that is recorded.
void book_received_from(ThreadState& thread, const Node* node, const CommunicatorInfo& info,
                        int source, std::uint64_t bytes, std::uint64_t ticks);

// Messages of a blocking call.
void message_sent(const Call& call, std::uint64_t bytes, int peer, const CommunicatorInfo* info);
void message_received(const Call& call, const CommunicatorInfo* info, Word status);

// An operation with a request, at the address `request`: what it sends (to a peer, unless that is
// MPI_PROC_NULL) and receives.
struct StartedMessages {
    bool sends = false, receives = false;
    int send_peer = 0;
    std::uint64_t send_bytes = 0;
    PostedReceive receive = {};
};
void messages_started(const Call& call, const StartedMessages& messages, Word communicator,
                      Word request, Completion completion);

// A collective, or a one-sided operation with a target: its traffic is known.
void traffic_done(const Call& call, const Traffic& traffic, std::int32_t peer);
void traffic_started(const Call& call, const Traffic& traffic, std::int32_t peer, Word request,
                     Completion completion);

// A word of the program's that an operation may or may not have.
class OptionalWord {
  public:
    OptionalWord() = default;
    OptionalWord(Word& word) : word_(&word) {}
    Word& operator*() const { return *word_; }
    explicit operator bool() const { return word_ != nullptr; }

  private:
    Word* word_ = nullptr;
};

// Room for what the program does not want to know but we do. Not zeroed: that would cost more
// than the rest.
template <std::size_t bytes>
struct Storage {
    Storage() {}
    Word address() { return reinterpret_cast<Word>(memory); }
    alignas(8) char memory[bytes];
};
inline constexpr std::size_t largest_status = 64;

}  // namespace vftrace
