// The members of a collective, and sums over arrays of counts.
#include "mpi/collectives.hpp"

namespace vftrace {

std::int64_t Counts::count(std::size_t index) const {
    return large ? count_at<true>(array, index) : count_at<false>(array, index);
}

Elements Counts::elements(std::size_t index) const {
    return elements_of(count(index), types_are_array ? handle_at(types, index) : types);
}

template <bool large>
static std::int64_t sum_of(Word array, int size) {
    std::int64_t sum = 0;
    for (int i = 0; i < size; i++)
        sum += count_at<large>(array, static_cast<std::size_t>(i));
    return sum;
}

Elements Counts::total(int size) const {
    return elements_of(large ? sum_of<true>(array, size) : sum_of<false>(array, size), types);
}

bool Exchange::counts(int peer) const {
    if (peer < 0 || peer >= info_.size)
        return false;
    return mpi_process.everyone || is_listed(world_rank(info_, peer));
}

bool Exchange::counts_locally(int rank) const {
    if (!info_.inter)
        return counts(rank);
    return mpi_process.everyone ||
           is_listed(info_.local_world ? info_.local_world[rank] : std::int32_t{rank});
}

bool Exchange::is_root(int root) const {
    return info_.inter ? root == family.constants.root : root == info_.rank;
}

void Exchange::one(Way way, int peer, const Elements& elements) {
    add(way, 1, elements.bytes);
    if (trace_) [[unlikely]]
        trace_->message(flags(way, false), world_rank(info_, peer), elements);
}

void Exchange::one_local(Way way, int rank, const Elements& elements) {
    if (!info_.inter)
        return one(way, rank, elements);
    add(way, 1, elements.bytes);
    if (trace_) [[unlikely]]
        trace_->message(flags(way, false), info_.local_world ? info_.local_world[rank] : rank,
                        elements);
}

// Reads the array of counts once, and asks MPI once for the size of a type that all peers share.
void Exchange::counts_for(const Peers& peers, Way way, const Counts& counts) {
    bool all_count = mpi_process.everyone && peers.own < 0 && peers.set <= PeerSet::local_members;
    if (all_count && !counts.types_are_array && !trace_) [[likely]]
        return add(way, static_cast<std::uint64_t>(peers.size), counts.total(peers.size).bytes);
    PeerCount* list = nullptr;
    if (trace_ && peers.size > 0)
        list = trace_->fan_counts(flags(way, peers.own >= 0), peers.set, peers.size);
    std::uint64_t messages = 0, bytes = 0;
    std::int64_t elements = 0;  // of one datatype
    for (int i = 0; i < peers.size; i++) {
        if (i == peers.own || !is_recorded_peer(peers.world ? peers.world[i] : std::int32_t{i}))
            continue;
        auto index = static_cast<std::size_t>(i);
        messages++;
        if (counts.types_are_array) {
            Elements part = counts.elements(index);
            bytes += part.bytes;
            if (list)
                set_peer_count(list[i], part);
        } else {
            std::int64_t count = counts.count(index);
            elements += count;
            if (list)
                list[i].count = count;
        }
    }
    if (!counts.types_are_array) {
        Elements all = elements_of(elements, counts.types);
        bytes = all.bytes;
        if (list)
            set_datatype(list, peers.size, all);
    }
    add(way, messages, bytes);
}

void Exchange::each(Way way, const Counts& counts, bool but_not_self) {
    counts_for(
        {PeerSet::members, info_.size, info_.world, but_not_self && !info_.inter ? info_.rank : -1},
        way, counts);
}

Exchange::Peers Exchange::local_peers(bool but_not_self) const {
    if (!info_.inter)
        return {PeerSet::members, info_.size, info_.world, but_not_self ? info_.rank : -1};
    return {PeerSet::local_members, info_.local_size, info_.local_world, -1};
}

Exchange::Peers Exchange::neighbour_peers(Way way) const {
    return way == Way::send
               ? Peers{PeerSet::destinations, info_.destination_count, info_.destinations, -1}
               : Peers{PeerSet::sources, info_.source_count, info_.sources, -1};
}

void Exchange::same_for(const Peers& peers, Way way, const Elements& elements) {
    std::uint64_t messages = 0;
    for (int i = 0; i < peers.size; i++)
        messages +=
            i != peers.own && is_recorded_peer(peers.world ? peers.world[i] : std::int32_t{i});
    add(way, messages, messages * elements.bytes);
    if (trace_ && messages) [[unlikely]]
        trace_->fan(flags(way, peers.own >= 0), peers.set, elements);
}

void Exchange::each_local(Way way, const Counts& counts, bool but_not_self) {
    counts_for(local_peers(but_not_self), way, counts);
}

void Exchange::all_local(Way way, const Elements& elements, bool but_not_self) {
    same_for(local_peers(but_not_self), way, elements);
}

void Exchange::neighbours(Way way, const Elements& elements) {
    same_for(neighbour_peers(way), way, elements);
}

void Exchange::each_neighbour(Way way, const Counts& counts) {
    counts_for(neighbour_peers(way), way, counts);
}

std::uint64_t number_of_collective(int result, Word communicator) {
    if (result != 0 || !mpi_process.initialised)
        return 0;
    const CommunicatorInfo* info = communicator_info(communicator);
    return info ? next_collective(*info) : 0;
}

void communicator_made(const Call& call, int result, Word communicator, Word made) {
    if (result != 0 || !mpi_process.initialised)
        return;
    const CommunicatorInfo* parent = communicator_info(communicator);
    if (!parent)
        return;
    const std::uint64_t number = next_collective(*parent);
    const Word handle = handle_at(made);
    if (handle != handle_constant(family.constants.comm_null))
        if (const CommunicatorInfo* info = communicator_info(handle))
            set_identity(*info, *parent, number);
    if (!recording_node(call) || !is_traced(call.thread()))
        return;
    CollectiveTrace trace;
    trace.begin(*parent, no_tag, {CollectiveShape::all_to_all, -1, number});
    trace.write(call.thread(), origin_of(call));
}

bool reduce_to_scatter(Exchange& exchange, bool in_place, const Elements& total,
                       const Elements& own) {
    bool at_root = exchange.rank() == 0, keeps_own = in_place && at_root && !exchange.inter();
    if (exchange.counts(0) && !keeps_own)
        exchange.one(Way::send, 0, total);
    if (exchange.counts_locally(0) && !keeps_own)
        exchange.one_local(Way::receive, 0, own);
    if (at_root)
        exchange.all(Way::receive, total, in_place);
    return at_root;
}

}  // namespace vftrace
