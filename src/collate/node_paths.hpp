// Which path of the profile each node of each thread's tree becomes.
//
// Paths of all threads with the same functions on the way are one. A graft is shown as the node
// that it points to: in another thread's tree, as a rule, whose paths have to be known first.
#pragma once

#include <cstdint>
#include <vector>

#include "base/index_table.hpp"
#include "collate/filtered_functions.hpp"
#include "collate/function_names.hpp"
#include "profile/profile.hpp"
#include "tree/process_record.hpp"

namespace vftrace {

// Nodes that have no path of their own: how a folded recursion keeps its books.
inline bool is_bookkeeping(const Node& node) {
    return node.kind == NodeKind::alias || node.kind == NodeKind::nested_time;
}

// The node that a graft stands for; nullptr if that is lost.
inline const Node* graft_target(const Node& graft) {
    return reinterpret_cast<const Node*>(graft.key);
}

class NodePaths {
  public:
    struct Thread {
        const ThreadRecord* record;
        // By Node::number. Nodes that are made meanwhile are not among them. Of bookkeeping: that
        // of the parent.
        std::vector<std::uint32_t> path_of;
        // By Node::number: index into Profile::filtered, whose path is that of the caller, or
        // no_index. Empty if nothing is filtered.
        std::vector<std::uint32_t> filtered;

        bool is_filtered(std::uint32_t number) const {
            return number < filtered.size() && filtered[number] != no_index;
        }
    };

    // Appends the paths of all threads' nodes to `profile`, without figures. Threads may go on.
    NodePaths(const ProcessRecord& process, Profile& profile, FunctionTable& functions,
              FilteredFunctions& filtered);

    // In the order of their numbers; those that have a tree.
    const std::vector<Thread>& threads() const { return threads_; }

    // The path of any thread's node, no_index if it is not known.
    std::uint32_t operator()(const Node* node) const;

  private:
    struct Root {
        const Node* node;
        std::uint32_t thread;  // index into threads_
    };
    // How far one thread's nodes have been followed.
    struct Progress {
        const Node* next;  // without path yet; nullptr: none is left
    };
    void resolve(Profile& profile);
    bool advance(std::uint32_t thread, bool give_up, Profile& profile);
    std::uint32_t path_below(std::uint32_t parent, const Node& node, Profile& profile);

    FunctionTable& functions_;
    FilteredFunctions& filtered_;
    std::vector<Thread> threads_;
    std::vector<Progress> progress_;  // by thread
    std::vector<Root> roots_;         // sorted by address
    IndexTable by_place_;
};

}  // namespace vftrace
