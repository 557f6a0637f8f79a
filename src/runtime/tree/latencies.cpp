#include "tree/latencies.hpp"

#include <algorithm>
#include <cstring>

#include "guest/frame_address.hpp"
#include "tree/append_row.hpp"
#include "tree/slow_path.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

// Returns false without memory. The table that is replaced stays mapped: a signal handler's call
// may have interrupted a search in it. All of them together are not larger than the new one.
bool make_room(ThreadLatencies& latencies, std::uint32_t number) {
    if (number < latencies.numbers)
        return true;
    constexpr std::uint32_t at_first = 512;
    const std::uint32_t more = std::max({2 * latencies.numbers, at_first, number + 1});
    auto* const larger = static_cast<LatencyRow**>(map_memory(more * sizeof(LatencyRow*)));
    if (!larger)
        return false;
    if (latencies.numbers > 0)
        std::memcpy(larger, latencies.by_node, latencies.numbers * sizeof(LatencyRow*));
    latencies.by_node = larger;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    latencies.numbers = more;
    return true;
}

void file_row(ThreadLatencies& latencies, LatencyRow* row) {
    LatencyRow*& first = latencies.by_node[row->node->number];
    row->next_of_node = first;
    first = row;
}

// A thread with few rows does not have a table. Returns false without memory.
bool make_table_if_due(ThreadLatencies& latencies, std::uint32_t number) {
    constexpr std::uint32_t few_rows = 8;
    if (latencies.numbers > 0)
        return make_room(latencies, number);
    if (latencies.rows < few_rows)
        return true;
    for (const LatencyRow* row = latencies.first; row; row = row->next_created)
        number = std::max(number, row->node->number);
    if (!make_room(latencies, number))
        return false;
    for (LatencyRow* row = latencies.first; row; row = row->next_created)
        file_row(latencies, row);
    return true;
}

// nullptr without memory.
LatencyRow* make_row(ThreadState& state, const Node& node, std::uint32_t power) {
    ThreadLatencies& latencies = state.record->latencies;
    if (is_scratch(state) || latencies.rows == most_latency_rows ||
        !make_table_if_due(latencies, node.number))
        return nullptr;
    auto* const row = static_cast<LatencyRow*>(state.arena.allocate_small(sizeof(LatencyRow)));
    if (!row)
        return nullptr;
    row->node = &node;
    row->power = power;
    if (latencies.numbers > 0)
        file_row(latencies, row);
    append_row(latencies, row);
    latencies.rows++;
    return row;
}

}  // namespace

void count_latency(ThreadState& state, const Node& node, std::uint64_t ticks, std::uint64_t end,
                   std::uint64_t calls) {
    if (ticks < least_latency_ticks)
        return;
    LatencyRow* row = known_latency_row(state, node, ticks);
    if (!row)
        row = make_row(state, node, power_of_latency(ticks));
    if (row)
        count_latency_in(*row, ticks, end, calls);
}

void count_thinned_latency(ThreadState& state, const Node& node, std::uint64_t ticks,
                           std::uint64_t calls) {
    const SlowPath guard(state, frame_address());
    count_latency(state, node, ticks, processor_ticks(), calls);
}

void count_first_latency(ThreadState* state, const Node* node, std::uint64_t ticks,
                         std::uint64_t end) {
    if (state->record->latencies.rows == most_latency_rows)
        return;
    const SlowPath guard(*state, frame_address());
    count_latency(*state, *node, ticks, end);
}

}  // namespace vftrace
