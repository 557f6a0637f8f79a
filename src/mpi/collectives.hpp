// Collectives, for the generated wrappers: what messages each stands for (see doc/mpi.md).
//
// A collective is booked as one sum that needs no list of peers: n messages of b bytes are n * b.
// Those with an array of counts add it up. Messages to itself count unless MPI_IN_PLACE saves them.
#pragma once

#include "mpi/booking.hpp"
#include "mpi/session.hpp"

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

// A sum over an array of counts, one for each peer (skipping ourselves, if asked) or neighbour.
// `types`: an array of datatypes for each count, or one datatype for all.
struct Counts {
    Word array;
    bool large;
    Word types;
    bool types_are_array;

    std::uint64_t bytes(std::size_t index) const;
};

// The other processes of a collective, as one of them sees them.
class Group {
  public:
    explicit Group(const CommunicatorInfo& info) : info_(info) {}

    // Peers that count: to all of whom something goes, or from whom it comes.
    std::uint64_t peers(bool but_not_self) const;
    std::uint64_t sum(const Counts& counts, bool but_not_self) const;
    std::uint64_t own(const Counts& counts) const;
    bool counts(int peer) const;

    // A root's part and everyone's part. On an intercommunicator the group of the root gives
    // MPI_ROOT or MPI_PROC_NULL, the others its rank.
    bool is_root(int root) const;
    bool talks_to(int root) const;

    bool inter() const { return info_.inter; }
    int rank() const { return info_.rank; }
    int local_size() const { return info_.local_size; }
    bool counts_locally(int rank) const;

    // Neighbours of the topology that exist and count.
    std::uint64_t sources() const;
    std::uint64_t destinations() const;
    std::uint64_t sum_of_sources(const Counts& counts) const;
    std::uint64_t sum_of_destinations(const Counts& counts) const;

  private:
    const CommunicatorInfo& info_;
};

template <Pattern, bool large, Completion>
struct Collective;

// Common to all: before() and after() in terms of Derived::traffic().
template <bool neighbours, Completion completion, class Operation>
void collective_is_done(const Call& call, int result, const Operation& operation) {
    if (!records_messages(call, result, completion))
        return;
    const CommunicatorInfo* info = neighbours ? communicator_with_neighbours(operation.comm)
                                              : communicator_info(operation.comm);
    if (!info)
        return;
    Traffic traffic = operation.traffic(Group(*info));
    if constexpr (completion == Completion::blocking)
        traffic_done(call, traffic, all_peers);
    else if (traffic.sends || traffic.receives)
        traffic_started(call, traffic, all_peers, *operation.request, completion);
}

// The barrier that mpi.show_sync_time asks for.
template <Completion completion>
void wait_for_the_others(Call& call, Word communicator) {
    if (completion == Completion::blocking && mpi_settings.show_sync_time &&
        mpi_process.initialised &&
        to_handle(communicator) != handle_constant(family.constants.comm_null))
        call.synchronise(communicator);
}

#define VFTRACE_COLLECTIVE(pattern, neighbours)                                                    \
    template <bool large, Completion completion>                                                   \
    struct Collective<Pattern::pattern, large, completion> {                                       \
        void before(Call& call) { wait_for_the_others<completion>(call, comm); }                   \
        void after(const Call& call, int result) {                                                 \
            collective_is_done<neighbours, completion>(call, result, *this);                       \
        }

template <bool large, Completion completion>
struct Collective<Pattern::barrier, large, completion> {
    Word& comm;
    OptionalWord request = {};
    void before(Call&) {}
    void after(const Call&, int) {}
};

VFTRACE_COLLECTIVE(bcast, false)
Word &count, &datatype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    std::uint64_t bytes = 0, n = group.peers(false);
    if (group.is_root(to_int(root)) || group.talks_to(to_int(root)))
        bytes = size_of(to_count<large>(count), datatype);
    if (group.is_root(to_int(root)))
        return {.sends = n, .send_bytes = n * bytes};
    return group.talks_to(to_int(root)) ? Traffic{.receives = 1, .receive_bytes = bytes}
                                        : Traffic{};
}
};

VFTRACE_COLLECTIVE(gather, false)
Word &sendbuf, &sendcount, &sendtype, &recvcount, &recvtype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Traffic traffic;
    bool in_place = is_in_place(sendbuf);
    if (group.talks_to(to_int(root)) && !in_place)
        traffic = {.sends = 1, .send_bytes = size_of(to_count<large>(sendcount), sendtype)};
    if (group.is_root(to_int(root))) {
        traffic.receives = group.peers(in_place);
        traffic.receive_bytes = traffic.receives * size_of(to_count<large>(recvcount), recvtype);
    }
    return traffic;
}
}
;

VFTRACE_COLLECTIVE(gatherv, false)
Word &sendbuf, &sendcount, &sendtype, &recvcounts, &recvtype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Traffic traffic;
    bool in_place = is_in_place(sendbuf);
    if (group.talks_to(to_int(root)) && !in_place)
        traffic = {.sends = 1, .send_bytes = size_of(to_count<large>(sendcount), sendtype)};
    if (group.is_root(to_int(root))) {
        traffic.receives = group.peers(in_place);
        traffic.receive_bytes = group.sum({recvcounts, large, recvtype, false}, in_place);
    }
    return traffic;
}
}
;

VFTRACE_COLLECTIVE(scatter, false)
Word &sendcount, &sendtype, &recvbuf, &recvcount, &recvtype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Traffic traffic;
    bool in_place = is_in_place(recvbuf);
    if (group.is_root(to_int(root))) {
        traffic.sends = group.peers(in_place);
        traffic.send_bytes = traffic.sends * size_of(to_count<large>(sendcount), sendtype);
    }
    if (group.talks_to(to_int(root)) && !in_place) {
        traffic.receives = 1;
        traffic.receive_bytes = size_of(to_count<large>(recvcount), recvtype);
    }
    return traffic;
}
}
;

VFTRACE_COLLECTIVE(scatterv, false)
Word &sendcounts, &sendtype, &recvbuf, &recvcount, &recvtype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Traffic traffic;
    bool in_place = is_in_place(recvbuf);
    if (group.is_root(to_int(root))) {
        traffic.sends = group.peers(in_place);
        traffic.send_bytes = group.sum({sendcounts, large, sendtype, false}, in_place);
    }
    if (group.talks_to(to_int(root)) && !in_place) {
        traffic.receives = 1;
        traffic.receive_bytes = size_of(to_count<large>(recvcount), recvtype);
    }
    return traffic;
}
}
;

// In place, what is sent is described by the arguments of what is received.
#define VFTRACE_EVERYONE_TO_EVERYONE(pattern)                                                      \
    VFTRACE_COLLECTIVE(pattern, false)                                                             \
    Word &sendbuf, &sendcount, &sendtype, &recvcount, &recvtype, &comm;                            \
    OptionalWord request = {};                                                                     \
                                                                                                   \
    Traffic traffic(const Group& group) const {                                                    \
        bool in_place = is_in_place(sendbuf);                                                      \
        std::uint64_t n = group.peers(in_place);                                                   \
        std::uint64_t received = size_of(to_count<large>(recvcount), recvtype);                    \
        std::uint64_t sent = in_place ? received : size_of(to_count<large>(sendcount), sendtype);  \
        return {n, n * sent, n, n * received};                                                     \
    }                                                                                              \
    }
VFTRACE_EVERYONE_TO_EVERYONE(allgather);
VFTRACE_EVERYONE_TO_EVERYONE(alltoall);
#undef VFTRACE_EVERYONE_TO_EVERYONE

VFTRACE_COLLECTIVE(allgatherv, false)
Word &sendbuf, &sendcount, &sendtype, &recvcounts, &recvtype, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    bool in_place = is_in_place(sendbuf);
    Counts received{recvcounts, large, recvtype, false};
    std::uint64_t n = group.peers(in_place);
    std::uint64_t sent =
        in_place ? group.own(received) : size_of(to_count<large>(sendcount), sendtype);
    return {n, n * sent, n, group.sum(received, in_place)};
}
}
;

// With one datatype for all peers, or an array of them.
#define VFTRACE_ALLTOALL_COUNTS(pattern, sendtype, recvtype, types_are_array)                      \
    VFTRACE_COLLECTIVE(pattern, false)                                                             \
    Word &sendbuf, &sendcounts, &sendtype, &recvcounts, &recvtype, &comm;                          \
    OptionalWord request = {};                                                                     \
                                                                                                   \
    Traffic traffic(const Group& group) const {                                                    \
        bool in_place = is_in_place(sendbuf);                                                      \
        Counts received{recvcounts, large, recvtype, types_are_array};                             \
        Counts sent = in_place ? received : Counts{sendcounts, large, sendtype, types_are_array};  \
        std::uint64_t n = group.peers(in_place);                                                   \
        return {n, group.sum(sent, in_place), n, group.sum(received, in_place)};                   \
    }                                                                                              \
    }
VFTRACE_ALLTOALL_COUNTS(alltoallv, sendtype, recvtype, false);
VFTRACE_ALLTOALL_COUNTS(alltoallw, sendtypes, recvtypes, true);
#undef VFTRACE_ALLTOALL_COUNTS

VFTRACE_COLLECTIVE(reduce, false)
Word &sendbuf, &count, &datatype, &root, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Traffic traffic;
    bool in_place = is_in_place(sendbuf);
    bool root_here = group.is_root(to_int(root)), talks = group.talks_to(to_int(root));
    std::uint64_t bytes = root_here || talks ? size_of(to_count<large>(count), datatype) : 0;
    if (talks && !in_place)
        traffic = {.sends = 1, .send_bytes = bytes};
    if (root_here) {
        traffic.receives = group.peers(in_place);
        traffic.receive_bytes = traffic.receives * bytes;
    }
    return traffic;
}
}
;

VFTRACE_COLLECTIVE(allreduce, false)
Word &sendbuf, &count, &datatype, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    std::uint64_t n = group.peers(is_in_place(sendbuf));
    std::uint64_t bytes = size_of(to_count<large>(count), datatype);
    return {n, n * bytes, n, n * bytes};
}
}
;

// A reduction to rank 0 followed by a scatter from there; `total` bytes for all, `own` for us,
// `others` for all that count.
Traffic reduce_scatter_traffic(const Group& group, bool in_place, std::uint64_t total,
                               std::uint64_t own, std::uint64_t others);

VFTRACE_COLLECTIVE(reduce_scatter, false)
Word &sendbuf, &recvcounts, &datatype, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    Counts counts{recvcounts, large, datatype, false};
    bool in_place = is_in_place(sendbuf);
    std::uint64_t total = 0, others = 0;
    for (int i = 0; i < group.local_size(); i++) {
        std::uint64_t bytes = counts.bytes(static_cast<std::size_t>(i));
        total += bytes;
        if (group.counts_locally(i) && !(in_place && i == group.rank()))
            others += bytes;
    }
    return reduce_scatter_traffic(group, in_place, total, group.own(counts), others);
}
}
;

VFTRACE_COLLECTIVE(reduce_scatter_block, false)
Word &sendbuf, &recvcount, &datatype, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    bool in_place = is_in_place(sendbuf);
    std::uint64_t own = size_of(to_count<large>(recvcount), datatype), others = 0;
    for (int i = 0; i < group.local_size(); i++)
        if (group.counts_locally(i) && !(in_place && i == group.rank()))
            others += own;
    return reduce_scatter_traffic(
        group, in_place, own * static_cast<std::uint64_t>(group.local_size()), own, others);
}
}
;

// Along the chain of ranks: from the one before, to the one after.
#define VFTRACE_SCAN(pattern)                                                                      \
    VFTRACE_COLLECTIVE(pattern, false)                                                             \
    Word &count, &datatype, &comm;                                                                 \
    OptionalWord request = {};                                                                     \
                                                                                                   \
    Traffic traffic(const Group& group) const {                                                    \
        std::uint64_t bytes = size_of(to_count<large>(count), datatype);                           \
        std::uint64_t before = group.counts(group.rank() - 1);                                     \
        std::uint64_t after = group.counts(group.rank() + 1);                                      \
        return {after, after * bytes, before, before * bytes};                                     \
    }                                                                                              \
    }
VFTRACE_SCAN(scan);
VFTRACE_SCAN(exscan);
#undef VFTRACE_SCAN

#define VFTRACE_NEIGHBOURS_ALIKE(pattern)                                                          \
    VFTRACE_COLLECTIVE(pattern, true)                                                              \
    Word &sendcount, &sendtype, &recvcount, &recvtype, &comm;                                      \
    OptionalWord request = {};                                                                     \
                                                                                                   \
    Traffic traffic(const Group& group) const {                                                    \
        std::uint64_t out = group.destinations(), in = group.sources();                            \
        return {out, out * size_of(to_count<large>(sendcount), sendtype), in,                      \
                in * size_of(to_count<large>(recvcount), recvtype)};                               \
    }                                                                                              \
    }
VFTRACE_NEIGHBOURS_ALIKE(neighbor_allgather);
VFTRACE_NEIGHBOURS_ALIKE(neighbor_alltoall);
#undef VFTRACE_NEIGHBOURS_ALIKE

VFTRACE_COLLECTIVE(neighbor_allgatherv, true)
Word &sendcount, &sendtype, &recvcounts, &recvtype, &comm;
OptionalWord request = {};

Traffic traffic(const Group& group) const {
    std::uint64_t out = group.destinations();
    return {out, out * size_of(to_count<large>(sendcount), sendtype), group.sources(),
            group.sum_of_sources({recvcounts, large, recvtype, false})};
}
}
;

#define VFTRACE_NEIGHBOURS_COUNTS(pattern, sendtype, recvtype, types_are_array)                    \
    VFTRACE_COLLECTIVE(pattern, true)                                                              \
    Word &sendcounts, &sendtype, &recvcounts, &recvtype, &comm;                                    \
    OptionalWord request = {};                                                                     \
                                                                                                   \
    Traffic traffic(const Group& group) const {                                                    \
        return {group.destinations(),                                                              \
                group.sum_of_destinations({sendcounts, large, sendtype, types_are_array}),         \
                group.sources(),                                                                   \
                group.sum_of_sources({recvcounts, large, recvtype, types_are_array})};             \
    }                                                                                              \
    }
VFTRACE_NEIGHBOURS_COUNTS(neighbor_alltoallv, sendtype, recvtype, false);
VFTRACE_NEIGHBOURS_COUNTS(neighbor_alltoallw, sendtypes, recvtypes, true);
#undef VFTRACE_NEIGHBOURS_COUNTS

#undef VFTRACE_COLLECTIVE

}  // namespace vftrace
