// Which path of the profile a node of some thread's tree became.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "profile/profile.hpp"
#include "tree/thread_state.hpp"

namespace vftrace {

class PathOfNode {
  public:
    void add_thread(const ThreadState& state, std::vector<std::uint32_t> path_of) {
        threads_.push_back({state.record->root, std::move(path_of)});
    }
    std::uint32_t operator()(const Node* node) const {
        const Node* root = node;
        while (root->parent)
            root = root->parent;
        for (const Thread& thread : threads_)
            if (thread.root == root)
                return node->number < thread.path_of.size() ? thread.path_of[node->number]
                                                            : no_index;
        return no_index;
    }

  private:
    struct Thread {
        const Node* root;
        std::vector<std::uint32_t> path_of;  // by Node::number
    };
    std::vector<Thread> threads_;
};

}  // namespace vftrace
