// Operations of point-to-point functions, for the generated wrappers.
//
// An operation's members are the arguments of the function that it needs, by their roles in
// wrappers/mpi_functions.txt. before() runs before the real function and may replace an argument,
// after() when it has returned.
#pragma once

#include "mpi/booking.hpp"
#include "mpi/session.hpp"

namespace vftrace {

// Has MPI write a status that the program ignores into our memory.
template <std::size_t bytes>
void want_status(Word& status, Storage<bytes>& own) {
    if (!family.known) [[unlikely]]
        mpi_has_begun_before();
    if (family.known && status == static_cast<Word>(family.constants.status_ignore))
        status = own.address();
}

// The communicator of a blocking call. Another thread may free it, and its handle become another
// one's, while the call waits; so with threads it is looked up before.
class BlockingCommunicator {
  public:
    void before(Word communicator) {
        if (mpi_process.threads_multiple && mpi_process.logging)
            info_ = communicator_info(communicator);
    }
    const CommunicatorInfo* after(Word communicator) const {
        return info_ ? info_ : communicator_info(communicator);
    }

  private:
    const CommunicatorInfo* info_ = nullptr;
};

template <bool large, Completion completion>
struct Send {
    Word &count, &datatype, &peer, &comm;
    OptionalWord request = {};
    BlockingCommunicator communicator = {};

    void before(Call&) {
        if constexpr (completion == Completion::blocking)
            communicator.before(comm);
    }
    void after(const Call& call, int result) {
        if (!records_messages(call, result, completion))
            return;
        std::uint64_t bytes = size_of(to_count<large>(count), datatype);
        if constexpr (completion == Completion::blocking)
            message_sent(call, bytes, to_int(peer), communicator.after(comm));
        else
            messages_started(call, {.sends = true, .send_peer = to_int(peer), .send_bytes = bytes},
                             comm, *request, completion);
    }
};

template <bool large, Completion completion>
struct Receive {
    Word &count, &datatype, &peer, &comm;
    OptionalWord status = {}, request = {};
    BlockingCommunicator communicator = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        if constexpr (completion == Completion::blocking) {
            want_status(*status, own_status);
            communicator.before(comm);
        }
    }
    void after(const Call& call, int result) {
        if (!records_messages(call, result, completion))
            return;
        if constexpr (completion == Completion::blocking)
            message_received(call, communicator.after(comm), *status);
        else
            messages_started(call, {.receives = true, .receive = {.peer = to_int(peer)}}, comm,
                             *request, completion);
    }
};

template <bool large, Completion completion>
struct SendReceive {
    Word &sendcount, &sendtype, &sendpeer, &recvcount, &recvtype, &recvpeer, &comm;
    OptionalWord status = {}, request = {};
    BlockingCommunicator communicator = {};
    Storage<largest_status> own_status = {};

    void before(Call&) {
        if constexpr (completion == Completion::blocking) {
            want_status(*status, own_status);
            communicator.before(comm);
        }
    }
    void after(const Call& call, int result) {
        if (!records_messages(call, result, completion))
            return;
        std::uint64_t bytes = 0;
        if (to_int(sendpeer) != family.constants.proc_null)
            bytes = size_of(to_count<large>(sendcount), sendtype);
        if constexpr (completion == Completion::blocking) {
            message_sent(call, bytes, to_int(sendpeer), communicator.after(comm));
            message_received(call, communicator.after(comm), *status);
        } else {
            // MPICH 4.0 leaves an old status in place of that of MPI_Isendrecv.
            auto trust = family.constants.handle_bytes == 4 ? PostedReceive::in_status_if_any
                                                            : PostedReceive::in_status;
            std::uint64_t room = 0;
            if (to_int(recvpeer) != family.constants.proc_null)
                room = size_of(to_count<large>(recvcount), recvtype);
            messages_started(call,
                             {.sends = true,
                              .receives = true,
                              .send_peer = to_int(sendpeer),
                              .send_bytes = bytes,
                              .receive = {trust, to_int(recvpeer), room}},
                             comm, *request, completion);
        }
    }
};

// MPI_Psend_init and its like took an MPI_Count in MPI-4.0; since there is MPI_Psend_init_c, an
// int.
template <bool large>
std::uint64_t partitioned_size(Word partitions, Word count, Word datatype) {
    bool is_long = large || !real_function(FunctionId::MPI_Psend_init_c);
    return size_of(to_int(partitions) * (is_long ? to_count<true>(count) : to_int(count)),
                   datatype);
}

// Partitions of a message are sent one by one, but it is one message.
template <bool large>
struct PartitionedSend {
    Word &partitions, &count, &datatype, &peer, &comm, &request;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (records_messages(call, result, Completion::persistent))
            messages_started(call,
                             {.sends = true,
                              .send_peer = to_int(peer),
                              .send_bytes = partitioned_size<large>(partitions, count, datatype)},
                             comm, request, Completion::persistent);
    }
};

template <bool large>
struct PartitionedReceive {
    Word &partitions, &count, &datatype, &peer, &comm, &request;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (records_messages(call, result, Completion::persistent))
            messages_started(call,
                             {.receives = true,
                              .receive = {PostedReceive::as_posted, to_int(peer),
                                          partitioned_size<large>(partitions, count, datatype)}},
                             comm, request, Completion::persistent);
    }
};

// Matched probes hand out a message, and that is received without naming the communicator.
struct MatchedProbe {
    Word &comm, &message;

    void before(Call&) {}
    void after(const Call& call, int result);
};

struct ImmediateMatchedProbe {
    Word &comm, &flag, &message;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (result == 0 && int_at(flag))
            MatchedProbe{comm, message}.after(call, result);
    }
};

// The call that receives a matched message: where that came from is remembered under its handle.
class MatchedMessage {
  public:
    void find(Word message);
    void received(const Call& call, int result, Word status);
    void receive_started(const Call& call, int result, Word request);

  private:
    Word key_ = 0;
    const CommunicatorInfo* info_ = nullptr;
};

template <bool large, Completion completion>
struct MatchedReceive {
    Word &count, &datatype, &message;
    OptionalWord status = {}, request = {};
    Storage<largest_status> own_status = {};
    MatchedMessage matched = {};

    void before(Call&) {
        matched.find(message);
        if constexpr (completion == Completion::blocking)
            want_status(*status, own_status);
    }
    void after(const Call& call, int result) {
        if constexpr (completion == Completion::blocking)
            matched.received(call, result, *status);
        else
            matched.receive_started(call, result, *request);
    }
};

}  // namespace vftrace
