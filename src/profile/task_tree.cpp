// Asynchronous tasks of a profile by type.
#include "profile/task_tree.hpp"

#include <algorithm>

#include "base/index_table.hpp"
#include "base/saturating.hpp"
#include "base/text_hash.hpp"

namespace vftrace {
namespace {

bool is_task(const Profile& profile, const Path& path) {
    return profile.functions[path.function].kind == NodeKind::task;
}

// What a thread does is not done by the task that made it, which may have been the first one to use
// a pool of threads.
bool is_thread(const Profile& profile, const Path& path) {
    return profile.functions[path.function].kind == NodeKind::thread;
}

}  // namespace

std::vector<TaskType> task_types(const Profile& profile) {
    std::vector<TaskType> types;
    IndexTable by_name;
    const std::vector<Path>& paths = profile.paths;
    std::vector<std::uint32_t> type_of(paths.size(), no_index);  // of the task that a path is in
    std::vector<std::int64_t> below(paths.size(), 0);            // time of it and all below it
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (paths[i].parent != no_index && !is_thread(profile, paths[i]))
            type_of[i] = type_of[paths[i].parent];
        if (is_task(profile, paths[i])) {
            const std::string_view name = profile.functions[paths[i].function].name;
            const auto next = static_cast<std::uint32_t>(types.size());
            type_of[i] = by_name.find_or_add(text_hash(name), next, [&](std::uint32_t type) {
                return types[type].name == name;
            });
            if (type_of[i] == next)
                types.emplace_back().name = name;
        }
        if (paths[i].flags & path_paused)
            continue;
        below[i] = paths[i].exclusive_ns;
        if (type_of[i] != no_index)
            add_saturating(types[type_of[i]].own_ns, paths[i].exclusive_ns);
    }
    for (std::size_t i = paths.size(); i-- > 1;)
        if (!is_thread(profile, paths[i]))
            add_saturating(below[paths[i].parent], below[i]);
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (!is_task(profile, paths[i]))
            continue;
        bool in_itself = false;
        for (std::uint32_t at = paths[i].parent;
             at != no_index && !in_itself && !is_thread(profile, paths[at]); at = paths[at].parent)
            in_itself = is_task(profile, paths[at]) && type_of[at] == type_of[i];
        if (!in_itself)
            add_saturating(types[type_of[i]].with_children_ns, below[i]);
    }
    for (const MetricValue& value : profile.metric_values)
        if (is_task(profile, paths[value.path]))
            add_value(types[type_of[value.path]], value.value, [&](MetricId metric) {
                return profile.metrics[value.metric].name == row_of(metric).name;
            });
    std::sort(types.begin(), types.end(), [](const TaskType& a, const TaskType& b) {
        return a.own_ns != b.own_ns ? a.own_ns > b.own_ns : a.name < b.name;
    });
    return types;
}

bool has_tasks(const Profile& profile) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [](const Function& function) { return function.kind == NodeKind::task; });
}

}  // namespace vftrace
