// Which threads touched large blocks first, on which memory nodes (NUMA), and which use them: as
// stored in memory with a thread's tree, and in the tree file.
//
//   ThreadRecord::placement.first -> PlacementRow -> PlacementRow ...    in the order of creation
#pragma once

#include <cstdint>

#include "base/mapped_table.hpp"
#include "record/loaded_module.hpp"
#include "record/node.hpp"

namespace vftrace {

// What a thread did, while it was on processors of one node, with the blocks that one place of a
// path has allocated. Written only by the thread, by relaxed atomics.
struct PlacementRow {
    const Node* node;   // that has allocated the blocks, in any thread's tree
    std::uintptr_t pc;  // as in HeapSite
    PlacementRow* next_created;
    std::uint64_t touches;       // page faults, estimated
    std::uint64_t touches_seen;  // those among them that were seen
    std::uint64_t touched;       // bytes that this thread was the first to touch, estimated
    // Samples of the thread's time, taken when it was about to access a block: the memory was on
    // the processor's node, on another one, or that is not known.
    std::uint64_t near_uses, far_uses, other_uses;
    std::uint16_t module;       // index of LoadedModule, or no_module
    std::uint16_t memory_node;  // of the processor
};

// An entry of the table in which PlacementRow objects are found.
struct PlacementIndex {
    PlacementRow* row;

    struct Key {
        const Node* node;
        std::uintptr_t pc;
        std::uint16_t memory_node;

        bool operator==(const Key&) const = default;
    };
    Key key() const { return {row->node, row->pc, row->memory_node}; }
    PlacementRow*& mark() { return row; }
    bool is(const Key& wanted) const { return key() == wanted; }
    static std::uint64_t hash(const Key& wanted) {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
        const std::uint64_t node = reinterpret_cast<std::uintptr_t>(wanted.node);
        return ((node * factor + wanted.pc) * factor + wanted.memory_node) * factor >> 32;
    }
};

struct ThreadPlacement {
    MappedTable<PlacementIndex> index;  // used only by its thread
    PlacementRow* first;
    PlacementRow* newest;
    std::uint32_t rows;
};

// Of one thread. What does not fit is not recorded.
inline constexpr std::uint32_t most_placement_rows = 4096;

}  // namespace vftrace
