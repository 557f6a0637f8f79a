#include "profile/list_of_ranks.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace vftrace {

std::string list_of_ranks(const std::vector<std::uint32_t>& ranks) {
    constexpr std::size_t most_named = 8;
    const std::size_t named = std::min(ranks.size(), most_named);
    std::string text = ranks.size() == 1 ? "rank" : "ranks";
    for (std::size_t i = 0; i < named; i++)
        append_format(text, "%s%u", i == 0 ? " " : ", ", ranks[i]);
    if (named < ranks.size())
        append_format(text, " and %zu more", ranks.size() - named);
    return text;
}

}  // namespace vftrace
