// Operations of point-to-point functions, for the generated wrappers.
//
// The members of an operation are those arguments of the function that it needs, by their roles in
// wrappers/mpi_functions.txt. before() runs before the real function and may replace an argument,
// after() runs after it.
#pragma once

#include "mpi/booking.hpp"
#include "mpi/mpi_state.hpp"

namespace vftrace {

// Makes MPI write a status that the program ignores into our memory.
template <std::size_t bytes>
void want_status(Word& status, Storage<bytes>& own) {
    if (!family.known) [[unlikely]]
        mpi_has_begun_before();
    if (family.known && status == static_cast<Word>(family.constants.status_ignore))
        status = own.address();
}

// The communicator of a blocking call. While the call waits, another thread may free it, and its
// handle may be reused; so with threads it is looked up before.
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
    Word &count, &datatype, &peer, &tag, &comm;
    OptionalWord request = {};
    BlockingCommunicator communicator = {};

    void before(Call&) {
        if constexpr (completion == Completion::blocking)
            communicator.before(comm);
    }
    void after(const Call& call, int result) {
        if (!records_messages(call, result, completion))
            return;
        StartedSend send{elements_of(to_count<large>(count), datatype), to_int(tag), to_int(peer)};
        if constexpr (completion == Completion::blocking)
            send_done(call, send.elements, send.tag, send.peer, communicator.after(comm));
        else
            messages_started(call, &send, nullptr, comm, *request, completion);
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
        if constexpr (completion == Completion::blocking) {
            receive_done(call, to_count<large>(count), datatype, communicator.after(comm), *status);
        } else {
            StartedReceive receive{.count = to_count<large>(count),
                                   .datatype = datatype,
                                   .posted = {.peer = to_int(peer)}};
            messages_started(call, nullptr, &receive, comm, *request, completion);
        }
    }
};

template <bool large, Completion completion>
struct SendReceive {
    Word &sendcount, &sendtype, &sendpeer, &sendtag, &recvcount, &recvtype, &recvpeer, &recvtag,
        &comm;
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
        StartedSend send{.tag = to_int(sendtag), .peer = to_int(sendpeer)};
        if (send.peer != family.constants.proc_null)
            send.elements = elements_of(to_count<large>(sendcount), sendtype);
        if constexpr (completion == Completion::blocking) {
            const CommunicatorInfo* info = communicator.after(comm);
            send_done(call, send.elements, send.tag, send.peer, info);
            receive_done(call, to_count<large>(recvcount), recvtype, info, *status);
        } else {
            // MPICH 4.0 leaves an old status in place of that of MPI_Isendrecv.
            auto trust = family.constants.handle_bytes == 4 ? PostedReceive::in_status_if_any
                                                            : PostedReceive::in_status;
            StartedReceive receive{.count = to_count<large>(recvcount),
                                   .datatype = recvtype,
                                   .tag = to_int(recvtag),
                                   .posted = {trust, to_int(recvpeer), 0}};
            if (receive.posted.peer != family.constants.proc_null)
                receive.posted.bytes = size_of(receive.count, recvtype);
            messages_started(call, &send, &receive, comm, *request, completion);
        }
    }
};

// MPI_Psend_init and similar functions took an MPI_Count in MPI-4.0, and take an int if there is
// MPI_Psend_init_c.
template <bool large>
std::int64_t partitioned_count(Word partitions, Word count) {
    bool is_long = large || !real_function(FunctionId::MPI_Psend_init_c);
    return to_int(partitions) * (is_long ? to_count<true>(count) : to_int(count));
}

// The partitions of a message are sent one by one, but count as one message.
template <bool large>
struct PartitionedSend {
    Word &partitions, &count, &datatype, &peer, &tag, &comm, &request;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result, Completion::persistent))
            return;
        StartedSend send{elements_of(partitioned_count<large>(partitions, count), datatype),
                         to_int(tag), to_int(peer)};
        messages_started(call, &send, nullptr, comm, request, Completion::persistent);
    }
};

template <bool large>
struct PartitionedReceive {
    Word &partitions, &count, &datatype, &peer, &tag, &comm, &request;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (!records_messages(call, result, Completion::persistent))
            return;
        Elements all = elements_of(partitioned_count<large>(partitions, count), datatype);
        StartedReceive receive{
            all.count, datatype, to_int(tag), {PostedReceive::as_posted, to_int(peer), all.bytes}};
        messages_started(call, nullptr, &receive, comm, request, Completion::persistent);
    }
};

// Matched probes hand out a message, which is received without naming the communicator.
struct MatchedProbe {
    Word &comm, &message;

    void before(Call&) {}
    void after(const Call& call, int result);
};

struct ImmediateProbe {
    static constexpr bool probes = true;
    Word& flag;

    void before(Call&) {}
    void after(const Call&, int) {}
};

struct ImmediateMatchedProbe {
    static constexpr bool probes = true;
    Word &comm, &flag, &message;

    void before(Call&) {}
    void after(const Call& call, int result) {
        if (result == 0 && int_at(flag))
            MatchedProbe{comm, message}.after(call, result);
    }
};

// The call that receives a matched message, whose communicator is remembered under the message's
// handle.
class MatchedMessage {
  public:
    void find(Word message);
    // `count` is the number of elements that there is room for.
    void received(const Call& call, int result, std::int64_t count, Word datatype, Word status);
    void receive_started(const Call& call, int result, std::int64_t count, Word datatype,
                         Word request);

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
            matched.received(call, result, to_count<large>(count), datatype, *status);
        else
            matched.receive_started(call, result, to_count<large>(count), datatype, *request);
    }
};

}  // namespace vftrace
