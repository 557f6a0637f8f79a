// The figures of sources that are stored with the calling thread's tree: finds and makes their
// rows.
//
//     struct Figures {
//         std::uint64_t calls;
//         std::int64_t ns;
//     };
//     constexpr SideFigures<Figures> figures{{{MetricId::mine_calls},
//                                             {MetricId::mine_ns, 0, SideValue::signed_number}}};
//     if (Figures* own = figures.of(state, node))
//         add_relaxed(own->calls, 1);
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "record/side_table.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The table of these columns, which belong to one source and scope; created if it does not exist
// yet. nullptr without memory. To be called on the thread itself, in its slow path
// (tree/slow_path.hpp).
SideTable* side_table(ThreadState& state, std::span<const SideColumn> columns);

// The row of a node, or of the thread (`node` is nullptr), initially zeros; nullptr without memory.
// Called like side_table(). Costs one array lookup.
SideRow* side_row(ThreadState& state, std::span<const SideColumn> columns, const Node* node);

// The same without the slow path if the row exists already; else nullptr.
SideRow* known_side_row(const ThreadState& state, const SideColumn& first, const Node& node);

// Creates a table with these columns for a source's figures of the whole process, its host
// (MetricScope::rank, host) or a device (MetricScope::device). Returns its values, which are zeros,
// or nullptr without memory. To be called once per process, or per device, by one thread. `device`:
// its name in tables, for example "package-0".
std::uint64_t* new_process_values(std::span<const SideColumn> columns,
                                  const char* device = nullptr);

// The same in two steps, for figures that are known only at the end, when the file may not grow any
// more: first the memory, and later the table in the profile.
SideTable* make_process_values(std::span<const SideColumn> columns);
std::uint64_t* list_process_values(SideTable& table);

// The same for many named rows: a table in `memory`, which is part of the tree's memory, and a row
// in it. nullptr without memory. To be called by one thread at a time for each table.
SideTable* new_process_table(std::span<const SideColumn> columns, Arena& memory);
std::uint64_t* new_process_row(SideTable& table, const char* name, Arena& memory);

// Rows that are structures: each member is one value.
template <class Figures>
struct SideFigures {
    static_assert(sizeof(Figures) % sizeof(std::uint64_t) == 0);
    std::array<SideColumn, sizeof(Figures) / sizeof(std::uint64_t)> columns;

    Figures* of(ThreadState& state, const Node* node) const {
        SideRow* row = side_row(state, columns, node);
        return row ? reinterpret_cast<Figures*>(row->values()) : nullptr;
    }
    Figures* known(const ThreadState& state, const Node& node) const {
        SideRow* row = known_side_row(state, columns.front(), node);
        return row ? reinterpret_cast<Figures*>(row->values()) : nullptr;
    }
};

}  // namespace vftrace
