// The figures of sources beside the trees of a dead process's threads.
#include <utility>
#include <vector>

#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

constexpr std::uint32_t most_columns = 4096;  // more is no count

// Whether all columns are of one source and scope, as they are known here.
bool is_sound(const SideTable& table) {
    for (std::uint32_t i = 0; i < table.columns; i++) {
        const SideColumn& column = table.described()[i];
        if (static_cast<std::size_t>(column.metric) >= std::size(metric_rows) ||
            column.value > SideValue::real)
            return false;
        const MetricRow &metric = row_of(column.metric), &first = row_of(table.described()->metric);
        if (metric.source != first.source || metric.scope != first.scope)
            return false;
    }
    return table.columns > 0;
}

constexpr std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

// Tables and rows come from the same arena as the nodes: what is in a list was whole before it was
// linked there.
void RecoveredProcess::read_side_tables(Thread& thread) {
    const SideTable* next = std::exchange(thread.record.side_tables, nullptr);
    SideTable** link = &thread.record.side_tables;
    while (next) {
        SideTable head;
        if (!image_->read(next, head) || head.columns > most_columns ||
            !spend(side_table_bytes(head.columns))) {
            left_out_++;
            return;
        }
        std::vector<std::uint64_t> words(words_for(side_table_bytes(head.columns)));
        auto* table = reinterpret_cast<SideTable*>(words.data());
        *table = {nullptr, nullptr, nullptr, head.columns, head.notes};
        bool whole = true;
        const auto columns = reinterpret_cast<std::uint64_t>(next) + sizeof(SideTable);
        for (std::uint32_t i = 0; i < head.columns && whole; i++)
            whole = image_->read(columns + i * sizeof(SideColumn), table->described()[i]);
        next = head.next;
        if (!whole || !is_sound(*table)) {
            left_out_++;
            continue;
        }
        thread.side_words.push_back(std::move(words));  // their place in memory stays
        *link = table;
        link = &table->next;
        read_side_rows(thread, *table, head.first);
    }
}

void RecoveredProcess::read_side_rows(Thread& thread, SideTable& table, const SideRow* next) {
    const bool of_thread = scope_of(table) == MetricScope::thread;
    SideRow** link = &table.first;
    while (next) {
        SideRow head;
        if (!spend(side_row_bytes(table.columns)) || !image_->read(next, head)) {
            left_out_++;
            return;
        }
        std::vector<std::uint64_t> words(words_for(side_row_bytes(table.columns)));
        auto* row = reinterpret_cast<SideRow*>(words.data());
        const auto values = reinterpret_cast<std::uint64_t>(next) + sizeof(SideRow);
        bool sound = true;
        for (std::uint32_t i = 0; i < table.columns && sound; i++)
            sound = image_->read(values + i * sizeof(std::uint64_t), row->values()[i]);
        const Node* node = head.node ? node_at(head.node) : nullptr;
        next = head.next_created;
        if (!sound || (of_thread ? head.node != nullptr : !node || !belongs_to(thread, node))) {
            left_out_++;
            continue;
        }
        row->node = node;
        row->next_created = nullptr;
        thread.side_words.push_back(std::move(words));
        *link = table.newest = row;
        link = &row->next_created;
    }
}

}  // namespace vftrace
