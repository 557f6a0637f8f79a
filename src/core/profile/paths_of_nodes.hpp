// The path of a process's profile that each node of its threads' trees became.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

struct PathsOfNodes {
    // [ThreadRecord::number][Node::number]; nodes without a path of their own have that of their
    // parent, unknown ones no_index.
    std::vector<std::vector<std::uint32_t>> path_of;

    std::uint32_t operator()(std::uint32_t thread, std::uint32_t node) const {
        return thread < path_of.size() && node < path_of[thread].size() ? path_of[thread][node]
                                                                        : no_index;
    }
};

}  // namespace vftrace
