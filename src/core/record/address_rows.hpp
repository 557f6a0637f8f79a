// Where in the code samples of one call path were taken: the program counters, as stored in memory
// with a thread's tree, and in the tree file.
//
//   ThreadRecord::addresses.first -> AddressRow -> AddressRow ...    in the order of creation
#pragma once

#include <cstdint>

#include "base/mapped_table.hpp"
#include "record/loaded_module.hpp"
#include "record/node.hpp"

namespace vftrace {

// Written only by its thread, by relaxed atomics, so that another thread can read it at any time.
struct AddressRow {
    const Node* node;
    std::uintptr_t pc;  // with retired_bit after the dlclose() of its module
    AddressRow* next_created;
    std::uint64_t samples;
    std::uint64_t ticks;   // that the samples represent
    std::uint16_t module;  // index of LoadedModule, or no_module
};

// An entry of the table in which rows are found by `node` and `pc`.
template <class Row>
struct AddressIndexOf {
    Row* row;

    struct Key {
        const Node* node;
        std::uintptr_t pc;
    };
    Key key() const { return {row->node, row->pc}; }
    Row*& mark() { return row; }
    bool is(const Key& wanted) const { return row->node == wanted.node && row->pc == wanted.pc; }
    static std::uint64_t hash(const Key& wanted) {
        return ((reinterpret_cast<std::uintptr_t>(wanted.node) >> 6) * 0xff51afd7ed558ccdu +
                wanted.pc) *
                   0x9e3779b97f4a7c15u >>
               32;
    }
};

struct ThreadAddresses {
    MappedTable<AddressIndexOf<AddressRow>> index;  // used only by its thread
    AddressRow* first;
    AddressRow* newest;
    std::uint64_t left_out;  // samples for whose address there was no row
};

// Rows of all threads of a process together.
inline constexpr std::uint32_t most_address_rows = 65536;

}  // namespace vftrace
