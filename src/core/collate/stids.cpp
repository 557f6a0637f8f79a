#include "collate/stids.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

#include "collate/path_hash.hpp"

namespace vftrace {

void set_stids(Profile& profile) {
    std::vector<Path>& paths = profile.paths;
    std::vector<std::size_t> levels(paths.size());  // callers come before their callees
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < paths.size(); i++) {
        Path& path = paths[i];
        levels[i] = path.parent == no_index ? 1 : levels[path.parent] + 1;
        if (levels[i] > most_hashed_levels) {
            path.hash =
                hash_of_longer_path(profile.functions[path.function].name, paths[path.parent].hash);
            continue;
        }
        names.clear();
        for (auto step = static_cast<std::uint32_t>(i); step != no_index; step = paths[step].parent)
            names.push_back(profile.functions[paths[step].function].name);
        path.hash = path_hash(names);
    }
    std::vector<std::uint32_t> order(paths.size());
    std::iota(order.begin(), order.end(), 0u);
    // Two static functions with the same name and caller have the same hash: then sort by place in
    // the file.
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (paths[a].hash != paths[b].hash)
            return paths[a].hash < paths[b].hash;
        std::uint64_t offset_a = profile.functions[paths[a].function].offset;
        std::uint64_t offset_b = profile.functions[paths[b].function].offset;
        return offset_a != offset_b ? offset_a < offset_b : a < b;
    });
    for (std::uint32_t i = 0; i < order.size(); i++)
        paths[order[i]].stid = i;
}

}  // namespace vftrace
