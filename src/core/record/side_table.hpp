// Figures of sources as stored in memory with a thread's tree, and in the tree file.
//
//   ThreadRecord::side_tables -> SideTable -> SideTable ...        one per source and scope
//                                    └─ first -> SideRow -> SideRow ...    in the order of creation
//   ProcessRecord::side_tables -> ...      the same, with one row each, for MetricScope::rank, host
//                                          and device; for the latter one table per device. For
//                                          MetricScope::region a table with one row per region
//
// A table describes its own columns, so that one reader (recover/) and one collector
// (collate/side_figures.hpp) serve all sources. Rows of a thread are written only by it, by single
// instructions or relaxed atomics, so that another thread can read them at any time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "record/metrics.hpp"
#include "record/node.hpp"

namespace vftrace {

// How the eight bytes of a value are interpreted. Sums of differences wrap around like unsigned
// numbers; interpreted as signed numbers they are correct.
enum class SideValue : std::uint8_t {
    number,
    signed_number,
    ticks,  // signed, of the process's clock; the metric's unit is "ns"
    real    // a double
};

struct SideColumn {
    MetricId metric;
    std::uint16_t index = 0;  // if the metric has several subjects, such as counters
    SideValue value = SideValue::number;
};

struct SideRow {
    union {
        const Node* node;  // for MetricScope::path, else nullptr
        // For MetricScope::device and region the subject of the row, in the tree's memory.
        const char* device;
    };
    SideRow* next_created;
    std::uint64_t* values() { return reinterpret_cast<std::uint64_t*>(this + 1); }
    const std::uint64_t* values() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
};

struct SideTable {
    SideTable* next;  // next table of the same thread
    SideRow* first;
    SideRow* newest;        // used only by its thread
    std::uint32_t columns;  // their descriptions follow, and each row has this many values
    std::uint32_t notes;    // bits in which the source notes something about the thread
    SideColumn* described() { return reinterpret_cast<SideColumn*>(this + 1); }
    const SideColumn* described() const { return reinterpret_cast<const SideColumn*>(this + 1); }
};

constexpr std::size_t side_table_bytes(std::size_t columns) {
    return sizeof(SideTable) + columns * sizeof(SideColumn);
}
constexpr std::size_t side_row_bytes(std::size_t columns) {
    return sizeof(SideRow) + columns * sizeof(std::uint64_t);
}

// The source and scope of a table, which are those of all its columns. It has at least one column.
inline SourceId source_of(const SideTable& table) {
    return row_of(table.described()->metric).source;
}
inline MetricScope scope_of(const SideTable& table) {
    return row_of(table.described()->metric).scope;
}

// Visits all tables of a thread, which may continue to run, or those of the process.
template <class Record, class Visit>
void visit_side_tables(const Record& record, Visit visit) {
    for (const SideTable* table = __atomic_load_n(&record.side_tables, __ATOMIC_ACQUIRE); table;
         table = table->next)
        visit(*table);
}

// Visits all rows of a table, in order of creation.
template <class Visit>
void visit_side_rows(const SideTable& table, Visit visit) {
    for (const SideRow* row = __atomic_load_n(&table.first, __ATOMIC_ACQUIRE); row;
         row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE))
        visit(*row);
}

// The number that the eight bytes of a value represent.
inline double number_of(std::uint64_t word, SideValue value, double ns_per_tick) {
    switch (value) {
    case SideValue::signed_number:
        return static_cast<double>(static_cast<std::int64_t>(word));
    case SideValue::ticks:
        return static_cast<double>(static_cast<std::int64_t>(word)) * ns_per_tick;
    case SideValue::real:
        return std::bit_cast<double>(word);
    default:
        return static_cast<double>(word);
    }
}

}  // namespace vftrace
