#include "config/rank_list.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "config/findings.hpp"

namespace vftrace {

namespace {

std::optional<int> parse_rank(std::string_view text) {
    text = trim(text);
    int rank = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (error != std::errc{} || end != text.data() + text.size() || rank < 0)
        return std::nullopt;
    return rank;
}

}  // namespace

std::optional<RankList> RankList::parse(std::string_view text) {
    RankList list;
    text = trim(text);
    if (equal_ignoring_case(text, "none"))
        return list;
    if (equal_ignoring_case(text, "all")) {
        list.all_ = true;
        return list;
    }

    std::vector<Range> ranges;
    for (std::string_view item : split(text, ',')) {
        std::size_t dash = item.find('-');
        std::optional<int> first = parse_rank(item.substr(0, dash));
        std::optional<int> last = first;
        if (dash != std::string_view::npos)
            last = parse_rank(item.substr(dash + 1));
        if (!first || !last || *first > *last)
            return std::nullopt;
        ranges.push_back({*first, *last});
    }

    // Overlapping and adjacent ranges become one, so that contains() can search.
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return a.first < b.first; });
    for (const Range& range : ranges) {
        if (!list.ranges_.empty() && range.first - 1 <= list.ranges_.back().last)
            list.ranges_.back().last = std::max(list.ranges_.back().last, range.last);
        else
            list.ranges_.push_back(range);
    }
    return list;
}

bool RankList::contains(int rank) const {
    if (all_)
        return true;
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), rank,
                                  [](int r, const Range& range) { return r < range.first; });
    return after != ranges_.begin() && rank <= (after - 1)->last;
}

std::string RankList::error_text(std::string_view text, std::string_view option) {
    return "Unable to properly parse given list " + quoted(text) + " for " + quoted(option) +
           ".\nValid values are: \"all\", \"none\", \"a-b\", \"a,b\", or a mix of the latter two.";
}

}  // namespace vftrace
