// Roll calls in words.
#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "rollcall/roll_call.hpp"

namespace vftrace {
namespace {

struct ActivityWords {
    Activity activity;
    const char* name;           // in JSON
    const char *one, *several;  // before the place
    const char* after;          // after it
};
constexpr ActivityWords all_activities[] = {
    {Activity::waits, "mpi", "waits in", "wait in", ""},
    {Activity::computes, "computing", "is in", "are in", ", computing"},
    {Activity::sleeps, "asleep", "is in", "are in", ", asleep"},
    {Activity::waits_for_disk, "disk", "is in", "are in",
     ", waiting for the kernel (a disk, a file system)"},
    {Activity::stopped, "stopped", "is in", "are in", ", stopped by a signal or a debugger"},
    {Activity::not_recorded, "not_recorded", "was in", "were in",
     " when recording was switched off or paused"},
    {Activity::unknown, "unknown", "is in", "are in", ""}};

const ActivityWords& words_of(Activity activity) {
    const ActivityWords* words = all_activities;
    while (words->activity != activity && words->activity != Activity::unknown)
        words++;
    return *words;
}

constexpr std::size_t most_shown_ranges = 12;

std::string ranges_text(const std::vector<RankRange>& ranges) {
    const std::size_t shown = std::min(ranges.size(), most_shown_ranges);
    std::string text;
    for (std::size_t i = 0; i < shown; i++) {
        append_format(text, "%s%u", i > 0 ? ", " : "", ranges[i].first);
        if (ranges[i].last > ranges[i].first)
            append_format(text, "-%u", ranges[i].last);
    }
    return ranges.size() > shown ? text + ", ..." : text;
}

// "rank 3 on node n2", "ranks 3 and 7 on node n2", "ranks 3 on node n2, 4 on node n2 and 9 on node
// n5", "4095 ranks".
std::string who(const PlaceGroup& group) {
    const std::vector<NamedRank>& named = group.named;
    if (group.count != named.size() || named.size() > 3)
        return format("%u rank%s", group.count, plural_s(group.count));
    const bool one_host = std::all_of(named.begin(), named.end(), [&](const NamedRank& rank) {
        return rank.host == named[0].host;
    });
    std::string text = named.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < named.size(); i++) {
        append_format(text, "%s%u",
                      i == 0                  ? ""
                      : i + 1 == named.size() ? " and "
                                              : ", ",
                      named[i].rank);
        if (!one_host || i + 1 == named.size())
            append_format(text, " on node %s", printable(named[i].host).c_str());
    }
    return text;
}

std::string since(const PlaceGroup& group) {
    constexpr double alike_s = 1, alike = 0.05;
    const std::string least = duration_text(group.least), most = duration_text(group.most);
    std::string text = group.at_least ? " for at least " : " for ";
    const bool differ = group.most - group.least > std::max(alike_s, alike * group.most);
    return text + (differ && least != most ? least + " to " + most : least);
}

std::string sentence(const PlaceGroup& group) {
    const ActivityWords& words = words_of(group.activity);
    std::string text = who(group) + ' ';
    if (group.path.empty())
        return text + (group.count == 1 ? "is" : "are") + " outside all recorded functions" +
               words.after;
    text += group.count == 1 ? words.one : words.several;
    text += ' ' + printable(group.path);
    if (group.activity == Activity::not_recorded)
        return text + words.after;
    return text + since(group) + words.after;
}

bool is_named(const PlaceGroup& group) {
    return group.count == group.named.size() && group.count <= 3;
}

}  // namespace

const char* name_of(Activity activity) { return words_of(activity).name; }

std::string duration_text(double seconds) {
    constexpr double minute = 60, hour = 3600;
    if (seconds < 10)
        return format("%.1f s", seconds);
    if (seconds < 10 * minute)
        return format("%.0f s", seconds);
    if (seconds < 10 * hour)
        return format("%.0f min", seconds / minute);
    return format("%.1f h", seconds / hour);
}

std::string RollCall::words(std::size_t most_groups) const {
    const CLocale decimal_points;
    std::string text;
    const std::size_t shown = std::min(groups_.size(), most_groups);
    for (std::size_t i = 0; i < shown; i++) {
        text += "  " + sentence(groups_[i]) + '\n';
        if (!is_named(groups_[i]) && !groups_[i].ranges.empty())
            text += "      (rank" + std::string(groups_[i].count == 1 ? " " : "s ") +
                    ranges_text(groups_[i].ranges) + ")\n";
    }
    std::uint32_t others = 0;
    for (std::size_t i = shown; i < groups_.size(); i++)
        others += groups_[i].count;
    if (others > 0)
        append_format(text, "  %u rank%s in %zu further place%s\n", others,
                      others == 1 ? " is" : "s are", groups_.size() - shown,
                      plural_s(groups_.size() - shown));
    const std::uint32_t seen = count();
    if (expected > seen) {
        const std::vector<RankRange> gone = missing();
        append_format(text, "  %u rank%s not seen%s%s\n", expected - seen,
                      expected - seen == 1 ? " is" : "s are", gone.empty() ? "" : ": ",
                      ranges_text(gone).c_str());
    }
    for (const std::string& problem : problems)
        text += "  " + printable(problem) + '\n';
    return text;
}

}  // namespace vftrace
