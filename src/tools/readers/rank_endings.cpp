#include "readers/rank_endings.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "profile/list_of_ranks.hpp"

namespace vftrace {

std::vector<std::uint32_t> ranks_of(const Profile& profile) {
    std::vector<std::uint32_t> ranks;
    for (const RankFigures& figures : profile.ranks)
        ranks.push_back(figures.rank);
    return ranks.empty() ? std::vector<std::uint32_t>{profile.run.rank} : ranks;
}

std::string how_they_ended(const std::vector<const Profile*>& profiles, std::string_view ordinary) {
    struct Ending {
        std::string_view text;
        std::vector<std::uint32_t> ranks;
    };
    std::vector<Ending> endings;
    for (const Profile* profile : profiles) {
        auto same = std::find_if(endings.begin(), endings.end(), [&](const Ending& ending) {
            return ending.text == profile->run.ended;
        });
        if (same == endings.end())
            same = endings.insert(same, {profile->run.ended, {}});
        const std::vector<std::uint32_t> ranks = ranks_of(*profile);
        same->ranks.insert(same->ranks.end(), ranks.begin(), ranks.end());
    }
    if (endings.size() == 1)
        return std::string(endings.front().text);
    std::string text;
    for (const Ending& ending : endings)
        if (const std::string_view said = ending.text.empty() ? ordinary : ending.text;
            !said.empty())
            text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", said,
                                list_of_ranks(ending.ranks));
    return text;
}

}  // namespace vftrace
