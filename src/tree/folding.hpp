// Folded recursion: levels beyond max_recursion are calls of a path further up.
//
// `a` calls `b` calls `a`, up to the level that may have a path. The next call of `a` goes back to
// the path of the nearest `a`: below `b` an *alias* stands for that one. From there on everything
// is as in other calls; only that frames of kind frame_fold have the path as their node, and give
// their time to the alias. So a path's own time is what is measured for it and the aliases of it,
// less what its callees and the aliases below it took, whichever activation called them
// (collate/tree_times.cpp).
//
// Times of activations on the way round, from the path to its alias, contain each other: they are
// exact sums, or their differences would be worth nothing. So none of these calls is thinned.
#pragma once

#include "tree/call_tree.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

// The path that a further level of `event` below `parent` is folded into, if it occurs in the path
// as often as it may; else nullptr.
Node* fold_target(Node* parent, const Event& event);

// The alias of `target` below `parent`; nullptr without memory.
Node* make_alias(ThreadState& state, Node* parent, const Event& event, Node* target);

// The alias that a frame of kind frame_fold was entered by; nullptr if its hooks read counters.
[[gnu::always_inline]] inline Node* alias_of(const ThreadState& state, const Frame& frame) {
    const Node* caller = (&frame)[-1].node;
    const std::uintptr_t key = frame.node->key;
    Node* alias = caller->last_callee;
    return alias->key == key && alias->parent == caller ? alias
                                                        : known_in_table(state, caller, key);
}

}  // namespace vftrace
