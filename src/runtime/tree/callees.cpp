#include "tree/callees.hpp"

#include "base/assertion.hpp"
#include "guest/modules.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/function_set.hpp"
#include "tree/folding.hpp"
#include "tree/thinning.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {

FunctionPlace function_place(const Node& node) { return function_place(node, module_table()); }

Node* find_callee(const ThreadState& state, const Node* parent, std::uintptr_t key) {
    for (std::uint64_t slot = table_slot(state, parent, key);;
         slot = (slot + 1) & state.table_mask) {
        Node* node = state.table[slot];
        if (!node || (node->key == key && node->parent == parent))
            return node;
    }
}

static void put_in_table(ThreadState& state, Node* node) {
    std::uint64_t slot = table_slot(state, node->parent, node->key);
    while (state.table[slot])
        slot = (slot + 1) & state.table_mask;
    state.table[slot] = node;
    state.table_used++;
}

// Rebuilds the table, larger if the number of paths requires it; the slots in which nodes of
// unloaded libraries were filed before are dropped. Returns false without memory.
static bool rebuild_table(ThreadState& state) {
    std::uint64_t old_slots = state.table_mask + 1;
    std::uint64_t slots = old_slots, shift = state.table_shift, used = 0;
    // At most a quarter full; the root is not in the table.
    for (; 4 * (std::uint64_t{state.record->node_count} - 1) > slots; slots *= 2)
        shift--;
    auto* table = static_cast<Node**>(map_memory(slots * sizeof(Node*)));
    if (!table)
        return false;
    for (Node* node = state.record->root->next_created; node; node = node->next_created, used++) {
        std::uint64_t slot = table_hash(node->parent, node->key) >> shift;
        while (table[slot])
            slot = (slot + 1) & (slots - 1);
        table[slot] = node;
    }
    // In this order: a signal handler that jumps out in between may leave a table in which nodes
    // are not found, which are then created twice and merged at the end, but never a table that is
    // read beyond its end.
    Node** old_table = state.table;
    state.table = table;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    state.table_mask = slots - 1;
    state.table_shift = shift;
    state.table_used = used;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    // Smaller tables stay mapped: a signal handler that creates a path may have interrupted a
    // search in one, which then finds nothing and creates a path twice. All of them together are
    // not larger than the new one.
    if (state.table_is_part)
        state.table_is_part = false;
    else if (slots == old_slots)
        unmap_memory(old_table, old_slots * sizeof(Node*));
    else
        empty_memory(old_table, old_slots * sizeof(Node*));
    return true;
}

// Makes sure that one more node can be filed: the table stays at most half full. Returns false
// without memory.
static bool make_room(ThreadState& state) {
    return 2 * (state.table_used + 1) <= state.table_mask + 1 || rebuild_table(state);
}

// Files a node whose key has changed, so that it is found again. Returns false without memory.
static bool refile_node(ThreadState& state, Node* node) {
    if (find_callee(state, node->parent, node->key) == node)
        return true;
    if (!make_room(state))
        return false;
    if (find_callee(state, node->parent, node->key) != node)
        put_in_table(state, node);
    return true;
}

static bool is_precise(std::uintptr_t key, NodeKind kind) {
    return row_of(kind).is(kind_is_precise) ||
           (kind == NodeKind::function && tree_settings.precise_functions &&
            tree_settings.precise_functions->contains(key));
}

Node* new_node(ThreadState& state, Node* parent, std::uintptr_t key, NodeKind kind) {
    if (!make_room(state))
        return nullptr;
    auto* node = static_cast<Node*>(state.arena.allocate(sizeof(Node)));
    if (!node)
        return nullptr;
    VFTRACE_ASSERT(state.table_used <= state.table_mask);
    VFTRACE_ASSERT(!state.newest->next_created);
    node->key = key;
    node->parent = parent;
    node->last_callee = &no_node;
    node->timing = first_timing(kind, overhead_calls != nullptr);
    node->number = state.newest->number + 1;  // its place in the list
    node->module = no_module;
    node->kind = kind;
    if (is_precise(key, kind)) {
        node->flags = node_precise;
        node->timing = every_call_timed;
    }
    if (row_of(kind).is(kind_is_kept))
        for (Node* around = parent; around && !(around->flags & node_kept); around = around->parent)
            set_flag(*around, node_kept);
    // Not in the scratch tree with which the hooks are measured.
    if (counter_calls && state.record->in_use && counter_calls->wanted(*node)) {
        set_flag(*node, node_reads_counters);
        node->timing = every_call_timed;
    }
    // Release: another thread that follows the list finds the node complete.
    __atomic_store_n(&state.newest->next_created, node, __ATOMIC_RELEASE);
    state.newest = node;
    state.record->node_count++;
    put_in_table(state, node);
    return node;
}

// A library that was unloaded and is loaded again continues with its old nodes, even at another
// address: the memory of a program that opens and closes plugins all day must not grow.
static Node* revive_retired(ThreadState& state, Node* parent, std::uintptr_t key,
                            std::uint16_t at) {
    if (state.nodes_were_retired) {
        state.nodes_were_retired = false;
        for (Node* node = state.record->root->next_created; node; node = node->next_created)
            if ((node->key & retired_bit) && !refile_node(state, node))
                return nullptr;
    }
    if (at == no_module)
        return nullptr;
    Node* node =
        find_callee(state, parent, retired_key(same_file_module(at), key - module(at).bias));
    if (!node)
        return nullptr;
    node->key = key;
    node->module = at;
    return refile_node(state, node) ? node : nullptr;
}

// The module that contains the code of a function or of an OpenMP construct.
static std::uint16_t module_of(const Event& event) {
    switch (event.kind) {
    case NodeKind::function:
        return module_at(event.key);
    case NodeKind::openmp:
        return module_at(openmp_code(event.key));
    default:
        return no_module;
    }
}

Node* make_callee(ThreadState& state, Node* parent, const Event& event) {
    std::uint16_t at = module_of(event);
    if (event.kind == NodeKind::function)
        if (Node* node = revive_retired(state, parent, event.key, at))
            return node;
    if (Node* target = fold_target(parent, event))
        return make_alias(state, parent, event, target);
    Node* node = new_node(state, parent, event.key, event.kind);
    if (!node)
        return nullptr;
    node->module = at;
    if (event.hook_site)
        if (std::uintptr_t body = function_start(event.hook_site))
            node->body_offset = static_cast<std::int32_t>(body - event.key);
    return node;
}

}  // namespace vftrace
