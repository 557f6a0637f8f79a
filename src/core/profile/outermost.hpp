// Recursion in call paths.
#pragma once

#include "profile/profile.hpp"

namespace vftrace {

// Whether no function further up in the path is the path's own: inclusive times of such paths can
// be added up to that of the function.
inline bool is_outermost(const Profile& profile, std::uint32_t path) {
    const std::uint32_t function = profile.paths[path].function;
    for (std::uint32_t at = profile.paths[path].parent; at != no_index;
         at = profile.paths[at].parent)
        if (profile.paths[at].function == function)
            return false;
    return true;
}

}  // namespace vftrace
