// Roll calls as texts, which processes send to each other: one line per group, with fields
// separated by tabs.
//
//     rollcall 1 <ranks expected> <application>
//     at <activity> <least> <most> <at least> <ranks> <0-3,7> <7@host,...> <path>
//     problem <text>
//     end stuck|moving
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.hpp"
#include "rollcall/roll_call.hpp"

namespace vftrace {
namespace {

constexpr std::string_view head = "rollcall 1";
constexpr std::string_view other_places = "(other places)";
constexpr std::size_t longest_path = 4096, longest_problem = 1024, most_activities = 7;

// A field must not contain the characters that end it.
std::string field(std::string_view text, std::size_t longest) {
    std::string clean(text.substr(0, longest));
    for (char& c : clean)
        if (static_cast<unsigned char>(c) < ' ' || c == 0x7f)
            c = '?';
    return clean;
}

bool read_number(std::string_view text, double& number) {
    const std::string copy(text);
    char* end = nullptr;
    number = std::strtod(copy.c_str(), &end);
    return !copy.empty() && *end == '\0' && std::isfinite(number) && number >= 0;
}

bool read_count(std::string_view text, std::uint32_t& count) {
    double number;
    constexpr double most = 4294967294;
    if (!read_number(text, number) || number > most || number != std::floor(number))
        return false;
    count = static_cast<std::uint32_t>(number);
    return true;
}

bool read_ranges(std::string_view text, std::vector<RankRange>& ranges) {
    if (text.empty())
        return true;
    for (std::string_view part : split(text, ',')) {
        const std::size_t dash = part.find('-');
        RankRange range{};
        if (!read_count(part.substr(0, dash), range.first))
            return false;
        range.last = range.first;
        if (dash != part.npos && !read_count(part.substr(dash + 1), range.last))
            return false;
        if (range.last < range.first || (!ranges.empty() && range.first <= ranges.back().last) ||
            ranges.size() >= PlaceGroup::most_ranges)
            return false;
        ranges.push_back(range);
    }
    return true;
}

bool read_named(std::string_view text, std::vector<NamedRank>& named) {
    if (text.empty())
        return true;
    for (std::string_view part : split(text, ',')) {
        const std::size_t at = part.find('@');
        NamedRank rank{};
        if (at == part.npos || !read_count(part.substr(0, at), rank.rank) ||
            named.size() >= PlaceGroup::most_named)
            return false;
        rank.host = part.substr(at + 1);
        named.push_back(rank);
    }
    return true;
}

std::string line_of(const PlaceGroup& group) {
    std::string text =
        format("at\t%u\t%.3f\t%.3f\t%u\t%u\t%s\t", static_cast<unsigned>(group.activity),
               group.least, group.most, static_cast<unsigned>(group.at_least), group.count,
               text_of(group.ranges).c_str());
    for (std::size_t i = 0; i < group.named.size(); i++) {
        std::string host = field(group.named[i].host, 256);
        std::replace(host.begin(), host.end(), ',', '?');
        append_format(text, "%s%u@%s", i > 0 ? "," : "", group.named[i].rank, host.c_str());
    }
    return text + '\t' + field(group.path, longest_path) + '\n';
}

bool read_group(const std::vector<std::string_view>& fields, PlaceGroup& group) {
    constexpr std::size_t count = 9;
    std::uint32_t activity, at_least;
    if (fields.size() != count || !read_count(fields[1], activity) || activity >= most_activities ||
        !read_number(fields[2], group.least) || !read_number(fields[3], group.most) ||
        !read_count(fields[4], at_least) || !read_count(fields[5], group.count) ||
        group.count == 0 || !read_ranges(fields[6], group.ranges) ||
        !read_named(fields[7], group.named))
        return false;
    group.activity = static_cast<Activity>(activity);
    group.at_least = at_least != 0;
    group.path = fields[8];
    return true;
}

}  // namespace

std::string text_of(const std::vector<RankRange>& ranges) {
    std::string text;
    for (const RankRange& range : ranges) {
        append_format(text, "%s%u", text.empty() ? "" : ",", range.first);
        if (range.last > range.first)
            append_format(text, "-%u", range.last);
    }
    return text;
}

std::string RollCall::encode(std::size_t most_bytes) const {
    const CLocale decimal_points;
    std::string text = format("%.*s\t%u\t%s\n", static_cast<int>(head.size()), head.data(),
                              expected, field(application, 256).c_str());
    const std::string end = format("%.*s\t%s\n", static_cast<int>(end_line.size()), end_line.data(),
                                   stuck ? "stuck" : "moving");
    PlaceGroup rest;
    rest.path = other_places;
    constexpr std::size_t room_for_rest = 256;
    for (const PlaceGroup& group : groups_) {
        const std::string line = line_of(group);
        if (text.size() + line.size() + end.size() + room_for_rest <= most_bytes) {
            text += line;
            continue;
        }
        rest.least = rest.count == 0 ? group.least : std::min(rest.least, group.least);
        rest.most = std::max(rest.most, group.most);
        rest.count += group.count;
    }
    if (rest.count > 0)
        text += line_of(rest);
    for (const std::string& problem : problems) {
        const std::string line = "problem\t" + field(problem, longest_problem) + '\n';
        if (text.size() + line.size() + end.size() <= most_bytes)
            text += line;
    }
    return text + end;
}

bool RollCall::decode(std::string_view text, RollCall& call) {
    const CLocale decimal_points;
    call = {};
    bool begun = false, ended = false;
    for (std::string_view line : split(text, '\n')) {
        if (line.empty())
            continue;
        const std::vector<std::string_view> fields = split(line, '\t');
        if (ended)
            return false;
        if (!begun) {
            begun = fields.size() == 3 && fields[0] == head && read_count(fields[1], call.expected);
            if (!begun)
                return false;
            call.application = fields[2];
        } else if (fields[0] == "at") {
            PlaceGroup group;
            if (!read_group(fields, group))
                return false;
            call.groups_.push_back(group);
        } else if (fields[0] == "problem" && fields.size() == 2) {
            call.problems.emplace_back(fields[1]);
        } else if (fields[0] == end_line && fields.size() == 2) {
            call.stuck = fields[1] == "stuck";
            ended = call.stuck || fields[1] == "moving";
        } else {
            return false;
        }
    }
    call.sort();
    return ended;
}

}  // namespace vftrace
