// Counts the calls of each path that are not very short by how long they took
// (record/latencies.hpp).
//
// What is inlined here does not use vector registers, which may hold values of the program.
#pragma once

#include <bit>
#include <cstdint>

#include "base/relaxed.hpp"
#include "record/latencies.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// A call of the node has taken `ticks` and ended at `end`; short ones are not counted. It stands
// for `calls` calls. To be called in the slow path (tree/slow_path.hpp).
void count_latency(ThreadState& state, const Node& node, std::uint64_t ticks, std::uint64_t end,
                   std::uint64_t calls = 1);

// The same for one call on the hot path.
void count_first_latency(ThreadState* state, const Node* node, std::uint64_t ticks,
                         std::uint64_t end);

// The same for a timed call of a thinned path, which represents this many `calls`.
void count_thinned_latency(ThreadState& state, const Node& node, std::uint64_t ticks,
                           std::uint64_t calls);

// The row for calls of this length; nullptr if there is none yet.
inline LatencyRow* known_latency_row(const ThreadState& state, const Node& node,
                                     std::uint64_t ticks) {
    const ThreadLatencies& latencies = state.record->latencies;
    const std::uint32_t power = power_of_latency(ticks);
    if (latencies.numbers == 0) [[unlikely]] {  // as long as there are few
        LatencyRow* row = latencies.first;
        while (row && (row->node != &node || row->power != power))
            row = row->next_created;
        return row;
    }
    LatencyRow* row = node.number < latencies.numbers ? latencies.by_node[node.number] : nullptr;
    while (row && row->power != power)
        row = row->next_of_node;
    return row;
}

inline void count_latency_in(LatencyRow& row, std::uint64_t ticks, std::uint64_t end,
                             std::uint64_t calls) {
    add_relaxed(row.calls[latency_bin(ticks) % bins_of_power], calls);
    if (ticks > plain_read(row.longest)) {
        set_shared(row.longest, ticks);
        set_shared(row.longest_end, end);
    }
}

// A call has taken this long, outside the slow path.
inline void note_call(ThreadState& state, const Node& node, std::uint64_t ticks,
                      std::uint64_t end) {
    if (ticks < least_latency_ticks)
        return;
    if (LatencyRow* const row = known_latency_row(state, node, ticks)) [[likely]]
        count_latency_in(*row, ticks, end, 1);
    else
        count_first_latency(&state, &node, ticks, end);
}

}  // namespace vftrace
