#include "tree/side_tables.hpp"

#include <algorithm>
#include <cstring>

#include "base/arena.hpp"
#include "base/prepend.hpp"
#include "tree/append_row.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {

// One per source and scope. Private to the thread and, because it is reached through ThreadState,
// to its process.
struct SideIndex {
    SideTable* table;
    SideRow** by_number;  // by Node::number
    std::size_t numbers;
};

namespace {

constexpr std::size_t index_bytes = source_count * tree_scopes * sizeof(SideIndex);

SideIndex* known_index_of(const ThreadState& state, const SideColumn& column) {
    const MetricRow& metric = row_of(column.metric);
    return state.side_indices
               ? state.side_indices + static_cast<std::size_t>(metric.source) * tree_scopes +
                     static_cast<std::size_t>(metric.scope)
               : nullptr;
}

SideIndex* index_of(ThreadState& state, const SideColumn& column) {
    if (!state.side_indices)
        state.side_indices = static_cast<SideIndex*>(map_memory(index_bytes));
    return known_index_of(state, column);
}

SideTable* make_table(ThreadState& state, std::span<const SideColumn> columns) {
    auto* table = static_cast<SideTable*>(state.arena.allocate(side_table_bytes(columns.size())));
    if (!table)
        return nullptr;
    table->columns = static_cast<std::uint32_t>(columns.size());
    std::copy(columns.begin(), columns.end(), table->described());
    table->next = state.record->side_tables;
    __atomic_store_n(&state.record->side_tables, table, __ATOMIC_RELEASE);
    return table;
}

SideRow* make_row(Arena& memory, const SideTable& table) {
    return static_cast<SideRow*>(memory.allocate_small(side_row_bytes(table.columns)));
}

// The row already has its subject.
void link_row(SideTable& table, SideRow* row) { append_row(table, row); }

SideRow* make_row(ThreadState& state, SideTable& table, const Node* node) {
    SideRow* row = make_row(state.arena, table);
    if (!row)
        return nullptr;
    row->node = node;
    link_row(table, row);
    return row;
}

// Several threads may add tables.
void add_to_process(SideTable& table) { prepend(process_record->side_tables, &table); }

// Returns false without memory.
bool make_room(SideIndex& index, std::size_t number) {
    if (number < index.numbers)
        return true;
    constexpr std::size_t at_first = 512;
    const std::size_t more = std::max(std::max(2 * index.numbers, at_first), number + 1);
    auto* larger = static_cast<SideRow**>(map_memory(more * sizeof(SideRow*)));
    if (!larger)
        return false;
    if (index.numbers) {
        std::memcpy(larger, index.by_number, index.numbers * sizeof(SideRow*));
        unmap_memory(index.by_number, index.numbers * sizeof(SideRow*));
    }
    index.by_number = larger;
    index.numbers = more;
    return true;
}

}  // namespace

SideTable* side_table(ThreadState& state, std::span<const SideColumn> columns) {
    SideIndex* index = index_of(state, columns.front());
    if (index && !index->table)
        index->table = make_table(state, columns);
    return index ? index->table : nullptr;
}

SideRow* side_row(ThreadState& state, std::span<const SideColumn> columns, const Node* node) {
    SideTable* table = side_table(state, columns);
    if (!table)
        return nullptr;
    if (!node)
        return table->first ? table->first : make_row(state, *table, nullptr);
    SideIndex& index = *index_of(state, columns.front());
    if (!make_room(index, node->number))
        return nullptr;
    SideRow*& row = index.by_number[node->number];
    if (!row)
        row = make_row(state, *table, node);
    return row;
}

SideRow* known_side_row(const ThreadState& state, const SideColumn& first, const Node& node) {
    const SideIndex* index = known_index_of(state, first);
    return index && node.number < index->numbers ? index->by_number[node.number] : nullptr;
}

SideTable* make_process_values(std::span<const SideColumn> columns) {
    constexpr std::size_t page = 4096;
    const std::size_t of_table = (side_table_bytes(columns.size()) + 7) & ~std::size_t{7};
    const std::size_t bytes = of_table + side_row_bytes(columns.size());
    void* memory = map_tree_memory((bytes + page - 1) & ~(page - 1));
    if (!memory)
        return nullptr;
    auto* table = static_cast<SideTable*>(memory);
    table->columns = static_cast<std::uint32_t>(columns.size());
    std::copy(columns.begin(), columns.end(), table->described());
    table->first = reinterpret_cast<SideRow*>(static_cast<char*>(memory) + of_table);
    return table;
}

std::uint64_t* list_process_values(SideTable& table) {
    add_to_process(table);
    return table.first->values();
}

std::uint64_t* new_process_values(std::span<const SideColumn> columns, const char* device) {
    SideTable* table = make_process_values(columns);
    if (!table)
        return nullptr;
    if (device)
        table->first->device = keep_text(device);
    return list_process_values(*table);
}

SideTable* new_process_table(std::span<const SideColumn> columns, Arena& memory) {
    auto* table = static_cast<SideTable*>(memory.allocate(side_table_bytes(columns.size())));
    if (!table)
        return nullptr;
    table->columns = static_cast<std::uint32_t>(columns.size());
    std::copy(columns.begin(), columns.end(), table->described());
    add_to_process(*table);
    return table;
}

std::uint64_t* new_process_row(SideTable& table, const char* name, Arena& memory) {
    SideRow* row = make_row(memory, table);
    if (!row)
        return nullptr;
    row->device = keep_text(name);
    link_row(table, row);
    return row->values();
}

}  // namespace vftrace
