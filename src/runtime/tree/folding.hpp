// Folded recursion: levels beyond max_recursion count as calls of a path further up.
//
// `a` calls `b`, which calls `a`, up to the last level that may have a path. The next call of `a`
// returns to the path of the nearest `a`, which an *alias* below `b` represents. From there on
// everything is as in other calls, except that frames of kind frame_fold have that path as their
// node and add their time to the alias. So a path's own time is the time measured for it and its
// aliases, minus the time of its callees and the aliases below it, whichever activation called them
// (collate/tree_times.cpp).
//
// Times of activations in the cycle, from the path to its alias, contain each other: they must be
// exact sums, or their differences would be meaningless. So these calls are never thinned.
#pragma once

#include "tree/call_tree.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The path that a further level of `event` below `parent` is folded into, if it occurs in the path
// as often as it may; else nullptr.
Node* fold_target(Node* parent, const Event& event);

// The alias of `target` below `parent`; nullptr without memory.
Node* make_alias(ThreadState& state, Node* parent, const Event& event, Node* target);

// The alias through which a frame of kind frame_fold was entered; nullptr if its hooks read
// counters.
[[gnu::always_inline]] inline Node* alias_of(const ThreadState& state, const Frame& frame) {
    const Node* caller = (&frame)[-1].node;
    const std::uintptr_t key = frame.node->key;
    Node* alias = caller->last_callee;
    return alias->key == key && alias->parent == caller ? alias
                                                        : known_in_table(state, caller, key);
}

}  // namespace vftrace
