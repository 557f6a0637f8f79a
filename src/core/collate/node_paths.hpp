// Maps each node of each thread's tree to a path of the profile.
//
// Paths of all threads with the same functions are one path. A graft is shown as the node that it
// points to, usually in another thread's tree, whose paths have to be known first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/index_table.hpp"
#include "collate/coroutine_clones.hpp"
#include "collate/filtered_functions.hpp"
#include "collate/function_names.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Nodes without their own path: their calls are those of another node.
inline bool is_bookkeeping(const Node& node) {
    return node.kind != NodeKind::graft && !row_of(node.kind).is(kind_has_path);
}

// The node that a graft stands for; nullptr if that is lost.
inline const Node* graft_target(const Node& graft) {
    return reinterpret_cast<const Node*>(graft.key);
}

class NodePaths {
  public:
    struct Thread {
        const ThreadRecord* record;
        // By Node::number. Nodes that are created meanwhile are not included. An alias has the path
        // of what it stands for.
        std::vector<std::uint32_t> path_of;
        // By Node::number: index into Profile::filtered, or no_index. Empty if nothing is filtered.
        std::vector<std::uint32_t> filtered;
        // By Node::number: whether a filtered node has its own path, else it has that of the
        // caller.
        std::vector<bool> removed;
        // By Node::number: whether it is a clone of a coroutine (collate/coroutine_clones.hpp), or
        // recursion of a generated function,
        // which has the path of its caller. Empty if there are none.
        std::vector<bool> clones;
        // For nodes that were created after their direct callers had lost their hooks: their
        // numbers, in ascending order, and those of the nodes in which they were called.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> called_in;

        bool is_filtered(std::uint32_t number) const {
            return number < filtered.size() && filtered[number] != no_index;
        }
        bool is_removed(std::uint32_t number) const {
            return number < removed.size() && removed[number];
        }
        bool is_clone(std::uint32_t number) const {
            return number < clones.size() && clones[number];
        }
        // The number of the caller.
        std::uint32_t parent_of(const Node& node) const {
            const auto found = std::lower_bound(called_in.begin(), called_in.end(),
                                                std::pair{node.number, std::uint32_t{0}});
            if (found != called_in.end() && found->first == node.number)
                return found->second;
            return node.parent && node.parent->number < node.number ? node.parent->number : 0;
        }
    };

    // Appends the paths of all threads' nodes to `profile`, without figures. Threads may continue
    // to run.
    NodePaths(const ProcessRecord& process, Profile& profile, FunctionTable& functions,
              FilteredFunctions& filtered, CodeFiles& files);

    // Those that have a tree, in the order of their numbers.
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
        const Node* next;  // without a path yet; nullptr: none is left
        // By Node::number; nullptr: none. Linked lists: the callees of nodes that have lost their
        // hooks, and those callees of any node that have lost theirs.
        std::vector<const Node*> callees_of_removed, removed_callees, next_callee, next_removed;
    };
    void resolve(Profile& profile);
    void find_caller(std::uint32_t thread, const Node& node);
    bool advance(std::uint32_t thread, bool give_up, Profile& profile);
    bool is_generated_recursion(std::uint32_t parent, const Node& node, const Profile& profile);
    std::uint32_t path_below(std::uint32_t parent, const Node& node, Profile& profile);

    FunctionTable& functions_;
    FilteredFunctions& filtered_;
    const CoroutineClones clones_;
    std::vector<Thread> threads_;
    std::vector<Progress> progress_;  // by thread
    std::vector<Root> roots_;         // sorted by address
    IndexTable by_place_;
};

}  // namespace vftrace
