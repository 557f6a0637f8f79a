// Which ranks wait for which others in a collective.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

namespace vftrace {

// Traces and vfd files contain the numbers.
enum class CollectiveShape : std::uint32_t {
    barrier,     // all ranks wait for all
    all_to_all,  // the same, with data; also the creation of a communicator
    one_to_all,  // all wait for the root: MPI_Bcast, MPI_Scatter
    all_to_one,  // the root waits for all: MPI_Reduce, MPI_Gather
    prefix,      // each waits for those of lower rank: MPI_Scan
    neighbours   // each waits for its neighbours in a topology
};
inline constexpr std::string_view collective_shapes[] = {"barrier",    "all_to_all", "one_to_all",
                                                         "all_to_one", "prefix",     "neighbours"};

constexpr bool is_collective_shape(std::uint32_t shape) {
    return shape < std::size(collective_shapes);
}

}  // namespace vftrace
