// Who takes part in a collective, and sums over arrays of counts.
#include "mpi/collectives.hpp"

namespace vftrace {

std::uint64_t Counts::bytes(std::size_t index) const {
    std::int64_t count = large ? count_at<true>(array, index) : count_at<false>(array, index);
    return count > 0 ? size_of(count, types_are_array ? handle_at(types, index) : types) : 0;
}

bool Group::counts(int peer) const {
    if (peer < 0 || peer >= info_.size)
        return false;
    return mpi_process.everyone || is_listed(world_rank(info_, peer));
}

bool Group::counts_locally(int rank) const {
    if (!info_.inter)
        return counts(rank);
    return mpi_process.everyone ||
           is_listed(info_.local_world ? info_.local_world[rank] : std::int32_t{rank});
}

std::uint64_t Group::peers(bool but_not_self) const {
    return static_cast<std::uint64_t>(info_.listed_peers) - (but_not_self && !info_.inter ? 1 : 0);
}

std::uint64_t Group::sum(const Counts& array, bool but_not_self) const {
    if (info_.size == 0)
        return 0;
    if (!array.types_are_array && mpi_process.everyone && !but_not_self) {
        // The usual case; one question for the size of the type.
        std::uint64_t count = 0;
        for (int i = 0; i < info_.size; i++) {
            auto index = static_cast<std::size_t>(i);
            count += static_cast<std::uint64_t>(array.large ? count_at<true>(array.array, index)
                                                            : count_at<false>(array.array, index));
        }
        return count ? count * size_of(1, array.types) : 0;
    }
    std::uint64_t bytes = 0;
    for (int i = 0; i < info_.size; i++)
        if (counts(i) && !(but_not_self && !info_.inter && i == info_.rank))
            bytes += array.bytes(static_cast<std::size_t>(i));
    return bytes;
}

std::uint64_t Group::own(const Counts& array) const {
    return array.bytes(static_cast<std::size_t>(info_.rank));
}

bool Group::is_root(int root) const {
    return info_.inter ? root == family.constants.root : root == info_.rank;
}

bool Group::talks_to(int root) const {
    // On an intercommunicator MPI_ROOT and MPI_PROC_NULL are no ranks, and talk to nobody here.
    return counts(root);
}

static std::uint64_t existing(const int* ranks, int count) {
    std::uint64_t result = 0;
    for (int i = 0; i < count; i++)
        result += is_recorded_peer(ranks[i]);
    return result;
}

static std::uint64_t sum_of(const int* ranks, int count, const Counts& counts) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        if (is_recorded_peer(ranks[i]))
            bytes += counts.bytes(static_cast<std::size_t>(i));
    return bytes;
}

std::uint64_t Group::sources() const { return existing(info_.sources, info_.source_count); }
std::uint64_t Group::destinations() const {
    return existing(info_.destinations, info_.destination_count);
}
std::uint64_t Group::sum_of_sources(const Counts& counts) const {
    return sum_of(info_.sources, info_.source_count, counts);
}
std::uint64_t Group::sum_of_destinations(const Counts& counts) const {
    return sum_of(info_.destinations, info_.destination_count, counts);
}

Traffic reduce_scatter_traffic(const Group& group, bool in_place, std::uint64_t total,
                               std::uint64_t own, std::uint64_t others) {
    Traffic traffic;
    bool at_root = group.rank() == 0, keeps_own = in_place && at_root && !group.inter();
    if (group.counts(0) && !keeps_own)
        traffic = {.sends = 1, .send_bytes = total};
    if (group.counts_locally(0) && !keeps_own) {
        traffic.receives++;
        traffic.receive_bytes += own;
    }
    if (at_root) {
        std::uint64_t peers = group.peers(in_place), members = 0;
        traffic.receives += peers;
        traffic.receive_bytes += peers * total;
        for (int i = 0; i < group.local_size(); i++)
            members += group.counts_locally(i) && !(in_place && i == 0);
        traffic.sends += members;
        traffic.send_bytes += others;
    }
    return traffic;
}

}  // namespace vftrace
