// Collectives, for the generated wrappers: the messages that each one represents (see doc/mpi.md).
//
// Each passes its messages to an Exchange in as few calls as possible, such as "this to all
// members". They are booked as one sum that needs no list of peers (n messages of b bytes are
// n * b; arrays of counts are added up), and a traced thread writes the same few records. Messages
// of a rank to itself count unless MPI_IN_PLACE avoids them.
#pragma once

#include "mpi/booking.hpp"
#include "mpi/communicator_identity.hpp"
#include "mpi/mpi_state.hpp"

namespace vftrace {

enum class Pattern : std::uint8_t {
    barrier,
    bcast,
    gather,
    gatherv,
    scatter,
    scatterv,
    allgather,
    allgatherv,
    alltoall,
    alltoallv,
    alltoallw,
    reduce,
    allreduce,
    reduce_scatter,
    reduce_scatter_block,
    scan,
    exscan,
    neighbor_allgather,
    neighbor_allgatherv,
    neighbor_alltoall,
    neighbor_alltoallv,
    neighbor_alltoallw
};

inline bool is_in_place(Word buffer) {
    return buffer == static_cast<Word>(family.constants.in_place);
}

// An array of counts, one for each peer. `types`: an array of datatypes, one for each count, or one
// datatype for all.
struct Counts {
    Word array;
    bool large;
    Word types;
    bool types_are_array;

    std::int64_t count(std::size_t index) const;
    Elements elements(std::size_t index) const;
    // The sum of the first `size`, which share one datatype.
    Elements total(int size) const;
};

enum class Way : std::uint8_t { send, receive };

// The messages of one process in one collective.
class Exchange {
  public:
    // `trace`: where the messages are noted; nullptr if the thread is not traced.
    Exchange(const CommunicatorInfo& info, CollectiveTrace* trace) : info_(info), trace_(trace) {}

    // Whether this process is the root, and whether it communicates with the root. On an
    // intercommunicator, the root's group passes MPI_ROOT or MPI_PROC_NULL, the other group the
    // root's rank.
    bool is_root(int root) const;
    bool talks_to(int root) const { return counts(root); }
    // Whether there is such a peer, and its messages are recorded.
    bool counts(int peer) const;

    bool inter() const { return info_.inter; }
    int rank() const { return info_.rank; }
    int local_size() const { return info_.local_size; }
    bool counts_locally(int rank) const;

    // One message to or from a peer that counts.
    void one(Way way, int peer, const Elements& elements);
    void one_local(Way way, int rank, const Elements& elements);
    // The same to or from all peers.
    void all(Way way, const Elements& elements, bool but_not_self = false) {
        std::uint64_t peers =
            static_cast<std::uint64_t>(info_.listed_peers) - (but_not_self && !info_.inter ? 1 : 0);
        add(way, peers, peers * elements.bytes);
        if (trace_ && peers) [[unlikely]]
            trace_->fan(flags(way, but_not_self), PeerSet::members, elements);
    }
    // To or from each of them the number of elements that an array gives.
    void each(Way way, const Counts& counts, bool but_not_self = false);
    // The same, but between the members of our own group.
    void each_local(Way way, const Counts& counts, bool but_not_self);
    void all_local(Way way, const Elements& elements, bool but_not_self);
    // To the destinations or from the sources of the topology.
    void neighbours(Way way, const Elements& elements);
    void each_neighbour(Way way, const Counts& counts);

    const Traffic& traffic() const { return traffic_; }

  private:
    struct Peers {
        PeerSet set;
        int size;
        const int* world;  // nullptr: rank i is i
        int own;           // our own index, if we are left out, else -1
    };
    Peers local_peers(bool but_not_self) const;
    Peers neighbour_peers(Way way) const;
    void same_for(const Peers& peers, Way way, const Elements& elements);
    void counts_for(const Peers& peers, Way way, const Counts& counts);

    void add(Way way, std::uint64_t messages, std::uint64_t bytes) {
        (way == Way::send ? traffic_.sends : traffic_.receives) += messages;
        (way == Way::send ? traffic_.send_bytes : traffic_.receive_bytes) += bytes;
    }
    unsigned flags(Way way, bool but_not_self) const {
        return (way == Way::receive ? unsigned{message_received} : 0u) |
               (but_not_self && !info_.inter ? unsigned{fan_skips_self} : 0u);
    }

    const CommunicatorInfo& info_;
    CollectiveTrace* trace_;
    Traffic traffic_;
};

template <Pattern, bool large, Completion>
struct Collective;

// The tag that traces show: 0 for operations that are as old as Vftrace 1.
constexpr std::int32_t collective_tag(Pattern pattern, Completion completion, bool inter) {
    bool alltoall = pattern == Pattern::alltoall || pattern == Pattern::alltoallv ||
                    pattern == Pattern::alltoallw;
    return alltoall && completion == Completion::blocking && !inter ? 0 : no_tag;
}

constexpr CollectiveShape shape_of(Pattern pattern) {
    switch (pattern) {
    case Pattern::barrier:
        return CollectiveShape::barrier;
    case Pattern::bcast:
    case Pattern::scatter:
    case Pattern::scatterv:
        return CollectiveShape::one_to_all;
    case Pattern::gather:
    case Pattern::gatherv:
    case Pattern::reduce:
        return CollectiveShape::all_to_one;
    case Pattern::scan:
    case Pattern::exscan:
        return CollectiveShape::prefix;
    case Pattern::neighbor_allgather:
    case Pattern::neighbor_allgatherv:
    case Pattern::neighbor_alltoall:
    case Pattern::neighbor_alltoallv:
    case Pattern::neighbor_alltoallw:
        return CollectiveShape::neighbours;
    default:
        return CollectiveShape::all_to_all;
    }
}

// The number of the collective that has been called, whether or not it is recorded, because other
// ranks may record theirs. Not used if nothing is traced.
std::uint64_t number_of_collective(int result, Word communicator);

// Common to all: after() in terms of the operation's messages().
template <Pattern pattern, bool neighbours, Completion completion, class Operation>
void collective_is_done(const Call& call, int result, const Operation& operation) {
    // Persistent collectives are not counted on any rank: they may be started in any number.
    constexpr bool has_number = completion != Completion::persistent;
    std::uint64_t number = 0;
    if (has_number && trace_settings.active) [[unlikely]]
        number = number_of_collective(result, operation.comm);
    if (!records_messages(call, result, completion))
        return;
    const CommunicatorInfo* info = neighbours ? communicator_with_neighbours(operation.comm)
                                              : communicator_info(operation.comm);
    if (!info)
        return;
    CollectiveTrace trace;
    CollectiveTrace* wanted = nullptr;
    if (traced_thread(call)) [[unlikely]] {
        wanted = &trace;
        const std::int32_t tag = collective_tag(pattern, completion, info->inter);
        std::int32_t root = -1;
        if constexpr (requires { operation.root; })
            root = info->inter ? -1 : world_rank(*info, to_int(operation.root));
        if (has_number)
            trace.begin(*info, tag, {shape_of(pattern), root, number});
        else
            trace.begin(*info, tag);
    }
    Exchange exchange(*info, wanted);
    operation.messages(exchange);
    const Traffic& traffic = exchange.traffic();
    if constexpr (completion == Completion::blocking)
        collective_done(call, traffic, wanted);
    else if (traffic.sends || traffic.receives || wanted)
        collective_started(call, traffic, wanted, *info, *operation.request, completion);
}

// The barrier that mpi.show_sync_time requests.
template <Completion completion>
void wait_for_the_others(Call& call, Word communicator) {
    if (completion == Completion::blocking && mpi_settings.show_sync_time &&
        mpi_process.initialised &&
        to_handle(communicator) != handle_constant(family.constants.comm_null))
        call.synchronise(communicator);
}

// The calls of the wrapper, in the operation of a collective.
#define VFTRACE_COLLECTIVE_CALLS(pattern, neighbours)                                              \
    void before(Call& call) { wait_for_the_others<completion>(call, comm); }                       \
    void after(const Call& call, int result) {                                                     \
        collective_is_done<Pattern::pattern, neighbours, completion>(call, result, *this);         \
    }

template <bool large, Completion completion>
struct Collective<Pattern::barrier, large, completion> {
    Word& comm;
    OptionalWord request = {};
    void before(Call&) {}
    void after(const Call& call, int result) {
        if (trace_settings.active) [[unlikely]]
            collective_is_done<Pattern::barrier, false, completion>(call, result, *this);
    }
    void messages(Exchange&) const {}
};

// The creation of a communicator, which is a collective on the one that it is created from.
void communicator_made(const Call& call, int result, Word communicator, Word made);
struct NewCommunicator {
    Word &comm, &newcomm;
    void before(Call&) {}
    void after(const Call& call, int result) {
        if (trace_settings.active) [[unlikely]]
            communicator_made(call, result, comm, newcomm);
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::bcast, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(bcast, false)

    Word &count, &datatype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        if (exchange.is_root(to_int(root)))
            exchange.all(Way::send, elements_of(to_count<large>(count), datatype));
        else if (exchange.talks_to(to_int(root)))
            exchange.one(Way::receive, to_int(root), elements_of(to_count<large>(count), datatype));
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::gather, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(gather, false)

    Word &sendbuf, &sendcount, &sendtype, &recvcount, &recvtype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        if (exchange.talks_to(to_int(root)) && !in_place)
            exchange.one(Way::send, to_int(root),
                         elements_of(to_count<large>(sendcount), sendtype));
        if (exchange.is_root(to_int(root)))
            exchange.all(Way::receive, elements_of(to_count<large>(recvcount), recvtype), in_place);
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::gatherv, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(gatherv, false)

    Word &sendbuf, &sendcount, &sendtype, &recvcounts, &recvtype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        if (exchange.talks_to(to_int(root)) && !in_place)
            exchange.one(Way::send, to_int(root),
                         elements_of(to_count<large>(sendcount), sendtype));
        if (exchange.is_root(to_int(root)))
            exchange.each(Way::receive, {recvcounts, large, recvtype, false}, in_place);
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::scatter, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(scatter, false)

    Word &sendcount, &sendtype, &recvbuf, &recvcount, &recvtype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(recvbuf);
        if (exchange.is_root(to_int(root)))
            exchange.all(Way::send, elements_of(to_count<large>(sendcount), sendtype), in_place);
        if (exchange.talks_to(to_int(root)) && !in_place)
            exchange.one(Way::receive, to_int(root),
                         elements_of(to_count<large>(recvcount), recvtype));
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::scatterv, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(scatterv, false)

    Word &sendcounts, &sendtype, &recvbuf, &recvcount, &recvtype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(recvbuf);
        if (exchange.is_root(to_int(root)))
            exchange.each(Way::send, {sendcounts, large, sendtype, false}, in_place);
        if (exchange.talks_to(to_int(root)) && !in_place)
            exchange.one(Way::receive, to_int(root),
                         elements_of(to_count<large>(recvcount), recvtype));
    }
};

// With MPI_IN_PLACE, what is sent is described by the arguments for what is received.
#define VFTRACE_EVERYONE_TO_EVERYONE(pattern)                                                      \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        VFTRACE_COLLECTIVE_CALLS(pattern, false)                                                   \
        Word &sendbuf, &sendcount, &sendtype, &recvcount, &recvtype, &comm;                        \
        OptionalWord request = {};                                                                 \
                                                                                                   \
        void messages(Exchange& exchange) const {                                                  \
            bool in_place = is_in_place(sendbuf);                                                  \
            Elements received = elements_of(to_count<large>(recvcount), recvtype);                 \
            exchange.all(Way::send,                                                                \
                         in_place ? received : elements_of(to_count<large>(sendcount), sendtype),  \
                         in_place);                                                                \
            exchange.all(Way::receive, received, in_place);                                        \
        }                                                                                          \
    }
VFTRACE_EVERYONE_TO_EVERYONE(allgather);
VFTRACE_EVERYONE_TO_EVERYONE(alltoall);
#undef VFTRACE_EVERYONE_TO_EVERYONE

template <bool large, Completion completion>
struct Collective<Pattern::allgatherv, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(allgatherv, false)

    Word &sendbuf, &sendcount, &sendtype, &recvcounts, &recvtype, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        Counts received{recvcounts, large, recvtype, false};
        exchange.all(Way::send,
                     in_place ? received.elements(static_cast<std::size_t>(exchange.rank()))
                              : elements_of(to_count<large>(sendcount), sendtype),
                     in_place);
        exchange.each(Way::receive, received, in_place);
    }
};

// With one datatype for all peers, or an array of them.
#define VFTRACE_ALLTOALL_COUNTS(pattern, sendtype, recvtype, types_are_array)                      \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        VFTRACE_COLLECTIVE_CALLS(pattern, false)                                                   \
        Word &sendbuf, &sendcounts, &sendtype, &recvcounts, &recvtype, &comm;                      \
        OptionalWord request = {};                                                                 \
                                                                                                   \
        void messages(Exchange& exchange) const {                                                  \
            bool in_place = is_in_place(sendbuf);                                                  \
            Counts received{recvcounts, large, recvtype, types_are_array};                         \
            Counts sent =                                                                          \
                in_place ? received : Counts{sendcounts, large, sendtype, types_are_array};        \
            exchange.each(Way::send, sent, in_place);                                              \
            exchange.each(Way::receive, received, in_place);                                       \
        }                                                                                          \
    }
VFTRACE_ALLTOALL_COUNTS(alltoallv, sendtype, recvtype, false);
VFTRACE_ALLTOALL_COUNTS(alltoallw, sendtypes, recvtypes, true);
#undef VFTRACE_ALLTOALL_COUNTS

template <bool large, Completion completion>
struct Collective<Pattern::reduce, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(reduce, false)

    Word &sendbuf, &count, &datatype, &root, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        bool root_here = exchange.is_root(to_int(root)), talks = exchange.talks_to(to_int(root));
        if (!root_here && !talks)
            return;
        Elements elements = elements_of(to_count<large>(count), datatype);
        if (talks && !in_place)
            exchange.one(Way::send, to_int(root), elements);
        if (root_here)
            exchange.all(Way::receive, elements, in_place);
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::allreduce, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(allreduce, false)

    Word &sendbuf, &count, &datatype, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        Elements elements = elements_of(to_count<large>(count), datatype);
        exchange.all(Way::send, elements, in_place);
        exchange.all(Way::receive, elements, in_place);
    }
};

// A reduction of `total` to rank 0 followed by a scatter from there, by which we get `own`. Returns
// whether we are rank 0, which then scatters.
bool reduce_to_scatter(Exchange& exchange, bool in_place, const Elements& total,
                       const Elements& own);

template <bool large, Completion completion>
struct Collective<Pattern::reduce_scatter, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(reduce_scatter, false)

    Word &sendbuf, &recvcounts, &datatype, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        Counts counts{recvcounts, large, datatype, false};
        bool in_place = is_in_place(sendbuf);
        if (reduce_to_scatter(exchange, in_place, counts.total(exchange.local_size()),
                              counts.elements(static_cast<std::size_t>(exchange.rank()))))
            exchange.each_local(Way::send, counts, in_place);
    }
};

template <bool large, Completion completion>
struct Collective<Pattern::reduce_scatter_block, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(reduce_scatter_block, false)

    Word &sendbuf, &recvcount, &datatype, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        bool in_place = is_in_place(sendbuf);
        Elements own = elements_of(to_count<large>(recvcount), datatype), total = own;
        total.count *= exchange.local_size();
        total.bytes *= static_cast<std::uint64_t>(exchange.local_size());
        if (reduce_to_scatter(exchange, in_place, total, own))
            exchange.all_local(Way::send, own, in_place);
    }
};

// Along the chain of ranks: from the previous rank, to the next one.
#define VFTRACE_SCAN(pattern)                                                                      \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        VFTRACE_COLLECTIVE_CALLS(pattern, false)                                                   \
        Word &count, &datatype, &comm;                                                             \
        OptionalWord request = {};                                                                 \
                                                                                                   \
        void messages(Exchange& exchange) const {                                                  \
            Elements elements = elements_of(to_count<large>(count), datatype);                     \
            if (exchange.counts(exchange.rank() - 1))                                              \
                exchange.one(Way::receive, exchange.rank() - 1, elements);                         \
            if (exchange.counts(exchange.rank() + 1))                                              \
                exchange.one(Way::send, exchange.rank() + 1, elements);                            \
        }                                                                                          \
    }
VFTRACE_SCAN(scan);
VFTRACE_SCAN(exscan);
#undef VFTRACE_SCAN

#define VFTRACE_NEIGHBOURS_ALIKE(pattern)                                                          \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        VFTRACE_COLLECTIVE_CALLS(pattern, true)                                                    \
        Word &sendcount, &sendtype, &recvcount, &recvtype, &comm;                                  \
        OptionalWord request = {};                                                                 \
                                                                                                   \
        void messages(Exchange& exchange) const {                                                  \
            exchange.neighbours(Way::send, elements_of(to_count<large>(sendcount), sendtype));     \
            exchange.neighbours(Way::receive, elements_of(to_count<large>(recvcount), recvtype));  \
        }                                                                                          \
    }
VFTRACE_NEIGHBOURS_ALIKE(neighbor_allgather);
VFTRACE_NEIGHBOURS_ALIKE(neighbor_alltoall);
#undef VFTRACE_NEIGHBOURS_ALIKE

template <bool large, Completion completion>
struct Collective<Pattern::neighbor_allgatherv, large, completion> {
    VFTRACE_COLLECTIVE_CALLS(neighbor_allgatherv, true)

    Word &sendcount, &sendtype, &recvcounts, &recvtype, &comm;
    OptionalWord request = {};

    void messages(Exchange& exchange) const {
        exchange.neighbours(Way::send, elements_of(to_count<large>(sendcount), sendtype));
        exchange.each_neighbour(Way::receive, {recvcounts, large, recvtype, false});
    }
};

#define VFTRACE_NEIGHBOURS_COUNTS(pattern, sendtype, recvtype, types_are_array)                    \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        VFTRACE_COLLECTIVE_CALLS(pattern, true)                                                    \
        Word &sendcounts, &sendtype, &recvcounts, &recvtype, &comm;                                \
        OptionalWord request = {};                                                                 \
                                                                                                   \
        void messages(Exchange& exchange) const {                                                  \
            exchange.each_neighbour(Way::send, {sendcounts, large, sendtype, types_are_array});    \
            exchange.each_neighbour(Way::receive, {recvcounts, large, recvtype, types_are_array}); \
        }                                                                                          \
    }
VFTRACE_NEIGHBOURS_COUNTS(neighbor_alltoallv, sendtype, recvtype, false);
VFTRACE_NEIGHBOURS_COUNTS(neighbor_alltoallw, sendtypes, recvtypes, true);
#undef VFTRACE_NEIGHBOURS_COUNTS

#undef VFTRACE_COLLECTIVE_CALLS

}  // namespace vftrace
