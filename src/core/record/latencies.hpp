// How long the calls of a path took, by bins of logarithmic width: as stored in memory with a
// thread's tree, and in the tree file.
//
//   ThreadRecord::latencies.first -> LatencyRow -> LatencyRow ...    in the order of creation
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "record/node.hpp"

namespace vftrace {

// Between a power of two and the next one there are this many bins of the same width: a bin is at
// most 25 % wider than its lower end.
inline constexpr unsigned bins_of_power = 4;

// The bin of a duration of at least 4, and the first duration in it. The first bin is number 8.
constexpr std::uint32_t power_of_latency(std::uint64_t duration) {
    return static_cast<std::uint32_t>(std::bit_width(duration)) - 1;
}
constexpr std::uint32_t latency_bin(std::uint64_t duration) {
    const std::uint32_t power = power_of_latency(duration);
    return bins_of_power * power + static_cast<std::uint32_t>(duration >> (power - 2) & 3);
}
constexpr std::uint64_t start_of_bin(std::uint32_t bin) {
    return std::uint64_t{bins_of_power + bin % bins_of_power} << (bin / bins_of_power - 2);
}
inline constexpr std::uint32_t first_bin = 2 * bins_of_power, most_bins = 64 * bins_of_power;

// Calls shorter than this many ticks are not in any row. Ticks of x86 processors are 0.2 to 1 ns
// long, those of others, and of the system's clock, at least 1 ns.
#if defined(__x86_64__)
inline constexpr std::uint64_t least_latency_ticks = 2048;
#else
inline constexpr std::uint64_t least_latency_ticks = 16;
#endif

// Calls of a path that took 2^power to 2^(power + 1) ticks. Written only by its thread, by relaxed
// atomics, so that another thread can read it at any time.
struct LatencyRow {
    const Node* node;
    LatencyRow* next_created;
    LatencyRow* next_of_node;  // used only by its thread
    std::array<std::uint64_t, bins_of_power> calls;
    std::uint64_t longest, longest_end;  // ticks: the longest of them, and when it ended
    std::uint32_t power;
};

struct ThreadLatencies {
    LatencyRow* first;
    LatencyRow* newest;
    LatencyRow** by_node;  // by Node::number; used only by its thread
    std::uint32_t numbers;
    std::uint32_t rows;
};

// Of one thread. Calls that would need more are in the path's time alone.
inline constexpr std::uint32_t most_latency_rows = 65536;

}  // namespace vftrace
