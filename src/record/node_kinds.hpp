// The kinds of nodes and their properties: one table for all code that handles them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace vftrace {

enum class NodeKind : std::uint8_t {
#define VFTRACE_NODE_KIND(id, word, key, name, cost, category, traits) id,
#include "record/node_kinds.inc"
#undef VFTRACE_NODE_KIND
    other = 0xff  // of functions in files: a kind of a later version
};

// What Node::key is.
enum class KeyKind : std::uint8_t {
    fixed,      // the same for all of the kind
    code,       // the address of a function
    text,       // the address of a name that is kept (region_name())
    mpi_call,   // mpi_key() (record/mpi_functions.hpp)
    construct,  // openmp_key() (record/openmp_constructs.hpp)
    gpu_name,   // the address of a GpuCallName (record/gpu_record.hpp)
    node,       // the address of another node
    folded,     // that of the path that the recursion is folded into
    section     // the address of a name that is kept, preceded by its level
};

// Which of HookCosts a call costs.
enum class KindCost : std::uint8_t {
    none,
    function,  // by how it was timed
    hook,      // like a hook whose callee is known
    region,
    wrapper
};

enum KindTrait : std::uint8_t {
    kind_has_path = 1,      // else its calls and times are part of another node's
    kind_is_precise = 2,    // every call is traced and timed
    kind_is_kept = 4,       // what leads to it never loses its hooks
    kind_has_clock = 8,     // its own time is the clock's, the kernel's work included
    kind_is_whole = 16,     // nothing in it is sampled
    kind_is_forked = 32,    // a child of fork continues below it
    kind_is_prepared = 64,  // paths may have been made before it was known whether they are needed
    kind_is_marked = 128    // the program says where it begins and ends
};

struct NodeKindRow {
    std::string_view word;
    KeyKind key;
    const char* name;
    KindCost cost;
    NodeKind category;    // of which it is one in viewers
    std::uint8_t traits;  // KindTrait

    constexpr bool is(KindTrait trait) const { return (traits & trait) != 0; }
};

inline constexpr NodeKindRow node_kind_rows[] = {
#define VFTRACE_NODE_KIND(id, word, key, name, cost, category, traits)                             \
    {word, KeyKind::key, name, KindCost::cost, NodeKind::category, traits},
#include "record/node_kinds.inc"
#undef VFTRACE_NODE_KIND
};
inline constexpr std::size_t node_kinds = std::size(node_kind_rows);

// Of a kind that is one of the table's (is_node_kind()); `other` is like a function.
constexpr const NodeKindRow& row_of(NodeKind kind) {
    return node_kind_rows[static_cast<std::size_t>(kind == NodeKind::other ? NodeKind::function
                                                                           : kind)];
}

// Whether a number in a file is a known kind.
constexpr bool is_node_kind(std::size_t number) { return number < node_kinds; }

}  // namespace vftrace
