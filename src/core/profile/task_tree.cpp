#include "profile/task_tree.hpp"

#include <algorithm>

#include "base/index_table.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/text_hash.hpp"

namespace vftrace {
namespace {

bool is_task(const Profile& profile, const Path& path) {
    return profile.functions[path.function].kind == NodeKind::task;
}

// The work of a thread does not count for the task that created it, which may merely have been the
// first one to use a pool of threads.
bool is_thread(const Profile& profile, const Path& path) {
    return profile.functions[path.function].kind == NodeKind::thread;
}

// Adds all metrics of tasks to sums_of(path).
template <class SumsOf>
void add_metrics(const Profile& profile, SumsOf sums_of) {
    for (const MetricValue& value : profile.metric_values)
        if (is_task(profile, profile.paths[value.path]))
            add_value(sums_of(value.path), value.value, [&](MetricId metric, unsigned index) {
                return is_named(profile.metrics[value.metric].name, metric, index);
            });
}

}  // namespace

std::vector<std::uint32_t> innermost_tasks(const Profile& profile) {
    const std::vector<Path>& paths = profile.paths;
    std::vector<std::uint32_t> task_of(paths.size(), no_index);
    for (std::uint32_t i = 1; i < paths.size(); i++)
        task_of[i] = is_task(profile, paths[i])     ? i
                     : is_thread(profile, paths[i]) ? no_index
                                                    : task_of[paths[i].parent];
    return task_of;
}

std::vector<TaskType> task_types(const Profile& profile) {
    std::vector<TaskType> types;
    IndexTable by_name;
    const std::vector<Path>& paths = profile.paths;
    const std::vector<std::uint32_t> task_of = innermost_tasks(profile);
    std::vector<std::uint32_t> type_of(paths.size(), no_index);  // of the task that a path is in
    std::vector<std::int64_t> below(paths.size(), 0);  // time of it and everything below it
    for (std::size_t i = 0; i < paths.size(); i++) {
        if (task_of[i] != no_index && task_of[i] != i) {
            type_of[i] = type_of[task_of[i]];
        } else if (task_of[i] == i) {
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
    add_metrics(profile, [&](std::uint32_t path) -> TaskSums& { return types[type_of[path]]; });
    std::sort(types.begin(), types.end(), [](const TaskType& a, const TaskType& b) {
        return a.own_ns != b.own_ns ? a.own_ns > b.own_ns : a.name < b.name;
    });
    return types;
}

std::vector<TaskPlace> task_places(const Profile& profile) {
    const std::vector<Path>& paths = profile.paths;
    const std::vector<std::uint32_t> task_of = innermost_tasks(profile);
    std::vector<TaskPlace> places;  // parents first
    std::vector<std::uint32_t> place_of(paths.size(), no_index), parents;
    for (std::uint32_t i = 1; i < paths.size(); i++) {
        if (task_of[i] == i) {
            const std::uint32_t above = task_of[paths[i].parent];
            place_of[i] = static_cast<std::uint32_t>(places.size());
            parents.push_back(above == no_index ? no_index : place_of[above]);
            TaskPlace& place = places.emplace_back();
            place.path = i;
            place.depth = above == no_index ? 0 : places[parents.back()].depth + 1;
        }
        if (task_of[i] != no_index && !(paths[i].flags & path_paused))
            add_saturating(places[place_of[task_of[i]]].own_ns, paths[i].exclusive_ns);
    }
    add_metrics(profile, [&](std::uint32_t path) -> TaskSums& { return places[place_of[path]]; });
    const std::uint32_t top = static_cast<std::uint32_t>(places.size());
    std::vector<std::vector<std::uint32_t>> children(places.size() + 1);
    for (std::uint32_t i = top; i-- > 0;) {
        TaskPlace& place = places[i];
        add_saturating(place.with_children_ns, place.own_ns);
        if (parents[i] != no_index)
            add_saturating(places[parents[i]].with_children_ns, place.with_children_ns);
    }
    for (std::uint32_t i = 0; i < top; i++)
        children[std::min(parents[i], top)].push_back(i);
    for (std::vector<std::uint32_t>& of_one : children)  // what is visited first comes last
        std::sort(of_one.begin(), of_one.end(), [&](std::uint32_t a, std::uint32_t b) {
            const std::int64_t ns_a = places[a].with_children_ns, ns_b = places[b].with_children_ns;
            return ns_a != ns_b ? ns_a < ns_b : a > b;
        });
    std::vector<TaskPlace> sorted;
    for (std::vector<std::uint32_t> open = children[top]; !open.empty();) {
        const std::uint32_t next = open.back();
        open.pop_back();
        sorted.push_back(places[next]);
        open.insert(open.end(), children[next].begin(), children[next].end());
    }
    return sorted;
}

std::string task_hint(const TaskSums& type) {
    constexpr double remarkable_ns = 50e6, ms = 1e6;
    std::string hint;
    if (type.longest_run_ns >= remarkable_ns)
        hint = type.pauses == 0
                   ? format("never yields: runs for up to %.0f ms", type.longest_run_ns / ms)
                   : format("ran for %.0f ms without a pause", type.longest_run_ns / ms);
    if (type.longest_ready_ns >= remarkable_ns)
        hint += (hint.empty() ? "" : "; ") +
                format("ready for %.0f ms before it ran", type.longest_ready_ns / ms);
    return hint;
}

bool has_tasks(const Profile& profile) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [](const Function& function) { return function.kind == NodeKind::task; });
}

}  // namespace vftrace
