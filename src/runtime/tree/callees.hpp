// Finding and making the nodes of one thread's tree.
#pragma once

#include <cstdint>

#include "record/function_place.hpp"
#include "tree/call_tree.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The place of a node of this process.
FunctionPlace function_place(const Node& node);

// The node of `key` below `parent`, nullptr if there is none.
Node* find_callee(const ThreadState& state, const Node* parent, std::uintptr_t key);

// A new node below `parent`; there must not be one with this key. nullptr without memory.
Node* new_node(ThreadState& state, Node* parent, std::uintptr_t key, NodeKind kind);

// A node for a callee that find_callee() does not know: a new one, or the old one if its library
// was unloaded and has been loaded again, or an alias if the callee occurs too often in the path.
// nullptr without memory.
Node* make_callee(ThreadState& state, Node* parent, const Event& event);

}  // namespace vftrace
