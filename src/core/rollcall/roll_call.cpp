#include "rollcall/roll_call.hpp"

#include <algorithm>

namespace vftrace {
namespace {

void add_range(std::vector<RankRange>& ranges, RankRange added) {
    auto place = std::lower_bound(
        ranges.begin(), ranges.end(), added.first,
        [](const RankRange& range, std::uint32_t first) { return range.first < first; });
    place = ranges.insert(place, added);
    // Join ranges that touch.
    auto previous = place == ranges.begin() ? place : place - 1;
    while (previous + 1 != ranges.end()) {
        const auto next = previous + 1;
        const bool touches = next->first <= previous->last || next->first == previous->last + 1;
        if (!touches && previous >= place)
            break;
        if (touches) {
            previous->last = std::max(previous->last, next->last);
            ranges.erase(next);
            place = previous;
        } else {
            previous = next;
        }
    }
}

void cut(PlaceGroup& group) {
    if (group.ranges.size() > PlaceGroup::most_ranges)
        group.ranges.resize(PlaceGroup::most_ranges);
    std::sort(group.named.begin(), group.named.end(),
              [](const NamedRank& a, const NamedRank& b) { return a.rank < b.rank; });
    if (group.named.size() > PlaceGroup::most_named)
        group.named.resize(PlaceGroup::most_named);
}

void include_times(PlaceGroup& group, bool is_first, double least, double most, bool at_least) {
    group.least = is_first ? least : std::min(group.least, least);
    group.most = is_first ? most : std::max(group.most, most);
    group.at_least = group.at_least || at_least;
}

}  // namespace

PlaceGroup& RollCall::group_of(const std::string& path, Activity activity) {
    for (PlaceGroup& group : groups_)
        if (group.activity == activity && group.path == path)
            return group;
    PlaceGroup& fresh = groups_.emplace_back();
    fresh.path = path;
    fresh.activity = activity;
    return fresh;
}

void RollCall::sort() {
    std::sort(groups_.begin(), groups_.end(), [](const PlaceGroup& a, const PlaceGroup& b) {
        if (a.count != b.count)
            return a.count > b.count;
        const std::uint32_t first_a = a.ranges.empty() ? 0 : a.ranges[0].first;
        const std::uint32_t first_b = b.ranges.empty() ? 0 : b.ranges[0].first;
        return first_a < first_b;
    });
}

void RollCall::add(const RankPlace& place) {
    PlaceGroup& group = group_of(place.path, place.activity);
    include_times(group, group.count == 0, place.seconds, place.seconds, place.at_least);
    group.count++;
    add_range(group.ranges, {place.rank, place.rank});
    group.named.push_back({place.rank, place.host});
    cut(group);
}

void RollCall::merge(const RollCall& other) {
    for (const PlaceGroup& from : other.groups_) {
        PlaceGroup& group = group_of(from.path, from.activity);
        include_times(group, group.count == 0, from.least, from.most, from.at_least);
        group.count += from.count;
        for (const RankRange& range : from.ranges)
            add_range(group.ranges, range);
        group.named.insert(group.named.end(), from.named.begin(), from.named.end());
        cut(group);
    }
    problems.insert(problems.end(), other.problems.begin(), other.problems.end());
    expected = std::max(expected, other.expected);
    if (application.empty())
        application = other.application;
    sort();
}

std::uint32_t RollCall::count() const {
    std::uint32_t count = 0;
    for (const PlaceGroup& group : groups_)
        count += group.count;
    return count;
}

std::vector<RankRange> RollCall::missing() const {
    std::vector<RankRange> seen, missing;
    std::uint64_t in_ranges = 0;
    for (const PlaceGroup& group : groups_)
        for (const RankRange& range : group.ranges) {
            add_range(seen, range);
            in_ranges += std::uint64_t{range.last} - range.first + 1;
        }
    if (in_ranges < count())
        return missing;
    std::uint32_t next = 0;
    for (const RankRange& range : seen) {
        if (range.first >= expected)
            break;
        if (range.first > next)
            missing.push_back({next, range.first - 1});
        next = range.last + 1;
    }
    if (next < expected)
        missing.push_back({next, expected - 1});
    return missing;
}

std::string place_text(const std::vector<std::string>& names, std::size_t levels) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < levels; i++)
        text += (i > 0 ? " < " : "") + names[i];
    return names.size() > levels ? text + " < ..." : text;
}

}  // namespace vftrace
