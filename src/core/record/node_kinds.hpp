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
    other = 0xff  // for functions in files: a kind of a later version
};

// What Node::key is.
enum class KeyKind : std::uint8_t {
    fixed,      // the same for all nodes of the kind
    code,       // the address of a function
    text,       // the address of a stored name (region_name())
    mpi_call,   // mpi_key() (record/mpi_functions.hpp)
    construct,  // openmp_key() (record/openmp_constructs.hpp)
    gpu_name,   // the address of a GpuCallName (record/gpu_record.hpp)
    node,       // the address of another node
    folded,     // the key of the path into which the recursion is folded
    section,    // the address of a stored name, preceded by its level
    io_call     // io_key() (record/io_functions.hpp)
};

// Which of the HookCosts a call causes.
enum class KindCost : std::uint8_t {
    none,
    function,  // depends on how it was timed
    hook,      // like a hook whose callee is known
    region,
    wrapper
};

enum KindTrait : std::uint8_t {
    kind_has_path = 1,      // else its calls and times are part of another node's
    kind_is_precise = 2,    // every call is traced and timed
    kind_is_kept = 4,       // functions on its path never lose their hooks
    kind_has_clock = 8,     // its own time is from the clock and includes work of the kernel
    kind_is_whole = 16,     // nothing in it is sampled
    kind_is_forked = 32,    // a child of fork continues below it
    kind_is_prepared = 64,  // paths may be created before it is known if they are needed
    kind_is_marked = 128    // the program marks where it begins and ends
};

struct NodeKindRow {
    std::string_view word;
    KeyKind key;
    const char* name;
    KindCost cost;
    NodeKind category;    // the kind as which viewers show it
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

// The row of a kind that is in the table (is_node_kind()); `other` is like a function.
constexpr const NodeKindRow& row_of(NodeKind kind) {
    return node_kind_rows[static_cast<std::size_t>(kind == NodeKind::other ? NodeKind::function
                                                                           : kind)];
}

// Whether a number in a file is a known kind.
constexpr bool is_node_kind(std::size_t number) { return number < node_kinds; }

}  // namespace vftrace
