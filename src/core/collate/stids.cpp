#include "collate/stids.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "collate/path_hash.hpp"

namespace vftrace {

void set_stids(Profile& profile) {
    std::vector<Path>& paths = profile.paths;
    std::string text;
    for (Path& path : paths) {
        text.clear();
        for (const Path* step = &path;; step = &paths[step->parent]) {
            text += profile.functions[step->function].name;
            if (step->parent == no_index)
                break;
            text += '<';
        }
        path.hash = path_hash(std::string_view(text.c_str(), text.size() + 1));
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
