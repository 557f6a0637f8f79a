// One call path as it is measured: a function together with the path from which it was called.
//
// A node occupies two cache lines; calls touch only the first. Its counters are written only by its
// thread, by single instructions or relaxed atomics, so that a signal handler or another thread can
// read them at any time.
#pragma once

#include <cstdint>

#include "record/node_kinds.hpp"

namespace vftrace {

enum NodeFlag : std::uint8_t {
    node_closed_without_exit = 1,
    node_recursion_folded = 2,
    node_precise = 4,         // every call is traced, regardless of the interval
    node_reads_counters = 8,  // entries and exits read the hardware counters (counters/)
    node_unwanted = 16,       // the hooks of its function are being removed (overhead/)
    node_kept = 32,           // leads to MPI, OpenMP, a region or another thread: never removed
    node_sampled = 64,        // made from samples of the call stack (sampling/), not from calls
    node_prologue = 128       // its hooks are in the prologue and the epilogue (hooks/)
};

// Key of a node whose library has been unloaded: this bit, which no address in user space has, the
// module's index and the function's offset in it. When the same library is loaded again, its nodes
// are found by this key.
inline constexpr std::uintptr_t retired_bit = std::uintptr_t{1} << 63;
inline constexpr unsigned retired_module_shift = 48;
inline constexpr std::uintptr_t retired_offset_mask =
    (std::uintptr_t{1} << retired_module_shift) - 1;
inline constexpr std::uintptr_t retired_key(std::uintptr_t module, std::uintptr_t offset) {
    return retired_bit | module << retired_module_shift | (offset & retired_offset_mask);
}

// Node::timing is increased by every call that the hot path enters. Below 0 every call is timed;
// above, only the calls that make it reach one of these values are:
inline constexpr std::int32_t every_call_timed = -(1 << 30);  // this many, and then an examination
inline constexpr std::int32_t look_due = 0;  // every-call timing ends: an examination is due
inline constexpr std::int32_t timed_call_due = 1 << 13;     // the call is timed
inline constexpr std::int32_t muted_calls_end = 1 << 14;    // none from timed_call_due to here
inline constexpr std::int32_t timing_mask = (1 << 13) - 1;  // 0 for all three

struct alignas(64) Node {
    // Used by the hot path.
    std::uintptr_t key;  // what was called (KeyKind); compared by the hot path
    Node* parent;        // nullptr for the root
    Node* last_callee;   // the child that was entered last; never null: `no_node` at first
    std::uint64_t calls;
    std::uint64_t
        inclusive_ticks;         // activations that were timed one by one, without direct recursion
    std::uint64_t nested_calls;  // of `calls`: recursion, which is not timed
    std::uint64_t table_entries;  // of `calls`: found in the table, not by `last_callee`
    std::int32_t timing;          // which calls are timed: see above and tree/thinning.hpp
    std::uint16_t module;         // index of LoadedModule when the node was created
    NodeKind kind;
    std::uint8_t flags;  // NodeFlag

    Node* next_created;        // all nodes of a thread in order of creation
    std::uint32_t number;      // 0 for the root, then in order of creation
    std::uint32_t in_fold;     // 1: lies on a cycle of folded recursion
    std::int32_t body_offset;  // function whose code called the entry hook - key: not 0 if inlined
    // For the calls with a timing above 0 (tree/thinning.hpp). A timed one represents the
    // `stride` calls of which it is the last.
    std::uint32_t stride;         // drawn for the next timed call
    std::uint64_t thinned_calls;  // sum of the strides drawn; some of these calls are still to come
    std::uint64_t weighted_ticks;  // sum of stride * time
    // sum of stride^2; for MPI: the calls that only waited; for a node_sampled: its page faults
    std::uint64_t weight_squares;
    std::uint64_t ticks_squares;    // sum of time^2; for a node_sampled: the ticks of the kernel
    std::uint32_t timed_calls;      // of the thinned calls; for a node_sampled: its samples
    std::uint8_t mean_stride_log2;  // the mean stride is 2^this; 0: every stride is 1
    std::uint8_t spell_log2;        // 2^this calls are all timed before the next look at them
    std::uint8_t looked_at;         // calls since the look began
    std::uint8_t long_calls;        // of these; later, of the latest timed calls
};
static_assert(sizeof(Node) == 128);

// The number of the thread in whose tree a node is.
inline std::uint32_t thread_of(const Node* node) {
    while (node->parent)
        node = node->parent;
    return static_cast<std::uint32_t>(node->body_offset);
}

// Key of the NodeKind::thread below a node; not an address.
inline constexpr std::uintptr_t thread_key = std::uintptr_t{1} << 62 | 1;
// Key of the NodeKind::samples below a node; not an address.
inline constexpr std::uintptr_t samples_key = std::uintptr_t{1} << 62 | 2;

// The path that is called: an alias represents another one.
inline const Node& called_path(const Node& node) {
    return node.kind == NodeKind::alias && node.last_callee ? *node.last_callee : node;
}
inline NodeKind kind_of_calls(const Node& node) { return called_path(node).kind; }

// The name of a region or section, by the key of its nodes.
inline const char* region_name(std::uintptr_t key) { return reinterpret_cast<const char*>(key); }

// The level of detail of a section, from 0, for every user, to the last level.
inline constexpr std::uint8_t last_section_level = 6;

// The byte before a section's name: its level, and whether its live message follows the name's
// final zero.
inline constexpr std::uint8_t section_message_bit = 0x80;
inline constexpr std::uint8_t level_in(std::uint8_t section_byte) {
    const auto level = static_cast<std::uint8_t>(section_byte & ~section_message_bit);
    return level < last_section_level ? level : last_section_level;  // the byte may be damaged
}
inline std::uint8_t section_level(std::uintptr_t key) {
    return key == 0 ? 0 : level_in(reinterpret_cast<const std::uint8_t*>(key)[-1]);
}

// Atomic, because the writer of the trace sets a flag too, and other threads read them.
inline void set_flag(Node& node, std::uint8_t flag) {
    __atomic_fetch_or(&node.flags, flag, __ATOMIC_RELAXED);
}

}  // namespace vftrace
