// For which locks the calls of a path waited, and where the threads were that had them: as stored
// in memory with a thread's tree, and in the tree file.
//
//   ThreadRecord::lock_waits.first -> LockWaitRow -> LockWaitRow ...    in the order of creation
#pragma once

#include <cstdint>

#include "base/mapped_table.hpp"
#include "record/loaded_module.hpp"
#include "record/lock_kinds.hpp"
#include "record/node.hpp"

namespace vftrace {

// Written only by its thread, by relaxed atomics, so that another thread can read it at any time.
struct LockWaitRow {
    const Node* waiter;   // of the thread's tree
    const Node* holder;   // where the thread was that had the lock, in any tree; nullptr: not known
    const Node* origin;   // where this lock was made or first waited for; nullptr: it has a module
    std::uintptr_t lock;  // its address, in the data of `module`; 0 without one
    LockWaitRow* next_created;
    std::uint64_t waits;  // calls that waited
    std::uint64_t ns, longest_ns;
    std::uint16_t module;  // index of LoadedModule, or no_module
    LockKind kind;
};

// An entry of the table in which LockWaitRow objects are found.
struct LockWaitIndex {
    LockWaitRow* row;

    struct Key {
        const Node *waiter, *holder, *origin;
        std::uintptr_t lock;
        LockKind kind;

        bool operator==(const Key&) const = default;
    };
    Key key() const { return {row->waiter, row->holder, row->origin, row->lock, row->kind}; }
    LockWaitRow*& mark() { return row; }
    bool is(const Key& wanted) const { return key() == wanted; }
    static std::uint64_t hash(const Key& wanted) {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
        std::uint64_t hash = wanted.lock + static_cast<std::uint64_t>(wanted.kind);
        for (const Node* node : {wanted.waiter, wanted.holder, wanted.origin})
            hash = hash * factor + reinterpret_cast<std::uintptr_t>(node);
        return hash * factor >> 32;
    }
};

struct ThreadLockWaits {
    MappedTable<LockWaitIndex> index;  // used only by its thread
    LockWaitRow* first;
    LockWaitRow* newest;
    std::uint32_t rows;
    // In sampled programs: where the thread was seen last, and when (CLOCK_MONOTONIC).
    const Node* seen_in;
    std::uint64_t seen_ns;
};

// Of one thread. What does not fit is in the path's figures alone.
inline constexpr std::uint32_t most_lock_wait_rows = 4096;

}  // namespace vftrace
