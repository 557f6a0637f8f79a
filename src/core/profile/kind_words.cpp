// Words for kinds of functions.
#include "profile/profile.hpp"

namespace vftrace {

NodeKind kind_of_word(std::string_view word) {
    for (std::size_t i = 0; i < node_kinds; i++)
        if (node_kind_rows[i].is(kind_has_path) && node_kind_rows[i].word == word)
            return static_cast<NodeKind>(i);
    return NodeKind::other;
}

}  // namespace vftrace
