#include "collate/task_times.hpp"

#include <algorithm>

#include "base/saturating.hpp"
#include "profile/task_tree.hpp"

namespace vftrace {
namespace {

void add_inclusive(Path& path, const Path& below) {
    add_saturating(path.inclusive_ns, below.inclusive_ns);
    add_saturating(path.raw_inclusive_ns, below.raw_inclusive_ns);
}

}  // namespace

std::vector<bool> paths_in_tasks(const Profile& profile) {
    std::vector<bool> in_task;
    for (const std::uint32_t task : innermost_tasks(profile))
        in_task.push_back(task != no_index);
    return in_task;
}

void sum_up_tasks(Profile& profile) {
    std::vector<Path>& paths = profile.paths;
    const std::vector<bool> in_task = paths_in_tasks(profile);
    if (std::find(in_task.begin(), in_task.end(), true) == in_task.end())
        return;
    for (std::size_t i = 1; i < paths.size(); i++)
        if (in_task[i]) {
            paths[i].inclusive_ns = paths[i].exclusive_ns;
            paths[i].raw_inclusive_ns = paths[i].raw_exclusive_ns;
        }
    for (std::size_t i = paths.size(); i-- > 1;) {
        const std::uint32_t parent = paths[i].parent;
        if (!in_task[i] || (paths[i].flags & path_paused))
            continue;
        if (in_task[parent]) {
            add_inclusive(paths[parent], paths[i]);
            continue;
        }
        for (std::uint32_t above = parent; above != no_index; above = paths[above].parent) {
            add_inclusive(paths[above], paths[i]);
            if (profile.functions[paths[above].function].kind == NodeKind::thread)
                break;
        }
    }
}

}  // namespace vftrace
