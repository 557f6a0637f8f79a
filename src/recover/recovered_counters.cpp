// The counter readings of a dead process's threads.
#include <utility>
#include <vector>

#include "recover/recovered_process.hpp"

namespace vftrace {

// Nodes and their readings come from the same arena: what is in the list was whole before it was
// linked there.
void RecoveredProcess::read_counters(Thread& thread) {
    constexpr std::uint32_t most_counters = 1024;  // more is no count
    const CounterRecord* pointer = std::exchange(thread.record.counters, nullptr);
    if (!pointer)
        return;
    CounterRecord& record = thread.counters;
    if (!image_->read(pointer, record) || record.counters > most_counters) {
        left_out_++;
        return;
    }
    const NodeReadings* next = std::exchange(record.first, nullptr);
    record.newest = nullptr;
    thread.record.counters = &record;
    NodeReadings** link = &record.first;
    while (next) {
        const std::size_t sums_bytes = record.counters * sizeof(CounterSums);
        NodeReadings readings;
        if (!spend(sizeof readings + sums_bytes) || !image_->read(next, readings)) {
            left_out_++;
            return;
        }
        std::vector<std::uint64_t> words((sizeof readings + sums_bytes) / sizeof(std::uint64_t));
        auto* made = reinterpret_cast<NodeReadings*>(words.data());
        const auto sums = reinterpret_cast<std::uint64_t>(next) + sizeof readings;
        bool sound = true;
        for (std::uint32_t i = 0; i < record.counters && sound; i++)
            sound = image_->read(sums + i * sizeof(CounterSums), made->sums()[i]);
        Node* node = node_at(readings.node);
        next = readings.next_created;
        if (!sound || !node || !belongs_to(thread, node)) {
            left_out_++;
            continue;
        }
        *made = {node, nullptr, 0};
        thread.readings.push_back(std::move(words));  // their place in memory stays
        *link = record.newest = made;
        link = &made->next_created;
    }
}

}  // namespace vftrace
