// Paths that were made in advance, and never needed.
#include "collate/unused_paths.hpp"

#include <algorithm>

#include "profile/fields.hpp"

namespace vftrace {
namespace {

std::vector<bool> used_paths(const Profile& profile) {
    std::vector<bool> used(profile.paths.size(), false);
    for (std::size_t i = used.size(); i-- > 0;) {
        const Path& path = profile.paths[i];
        const NodeKind kind = profile.functions[path.function].kind;
        if (path.calls > 0 || !row_of(kind).is(kind_is_prepared))
            used[i] = true;
        if (used[i] && path.parent != no_index)
            used[path.parent] = true;
    }
    return used;
}

// Where each element goes if only the used ones stay: an unused one goes to `fallback(index)`.
template <class Fallback>
std::vector<std::uint32_t> places_of(const std::vector<bool>& used, Fallback fallback) {
    std::vector<std::uint32_t> places;
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < used.size(); i++)
        places.push_back(used[i] ? next++ : fallback(i, places));
    return places;
}

template <class Element>
void keep_used(std::vector<Element>& elements, const std::vector<bool>& used) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < elements.size(); i++)
        if (used[i]) {
            if (kept != i)
                elements[kept] = std::move(elements[i]);
            kept++;
        }
    elements.resize(kept);
}

template <class Element>
void move_to_new_paths(std::vector<Element>& elements, const std::vector<bool>& used,
                       const std::vector<std::uint32_t>& place) {
    std::erase_if(elements, [&](const Element& element) { return !used[element.path]; });
    for (Element& element : elements)
        element.path = place[element.path];
}

void drop_unused_functions(Profile& profile) {
    std::vector<bool> used(profile.functions.size(), false);
    for (const Path& path : profile.paths)
        used[path.function] = true;
    for (const FilteredFunction& filtered : profile.filtered)
        used[filtered.function] = true;
    for (const PathGpuWork& work : profile.gpu_work)
        if (work.function != no_index)
            used[work.function] = true;
    const std::vector<std::uint32_t> place = places_of(used, [](auto, auto&) { return 0u; });
    keep_used(profile.functions, used);
    for (Path& path : profile.paths)
        path.function = place[path.function];
    for (FilteredFunction& filtered : profile.filtered)
        filtered.function = place[filtered.function];
    for (PathGpuWork& work : profile.gpu_work)
        if (work.function != no_index)
            work.function = place[work.function];
}

}  // namespace

void drop_unused_paths(Profile& profile, PathsOfNodes* nodes) {
    const std::vector<bool> used = used_paths(profile);
    if (std::find(used.begin(), used.end(), false) == used.end())
        return;
    const std::vector<std::uint32_t> place =
        places_of(used, [&](std::uint32_t path, const std::vector<std::uint32_t>& places) {
            return places[profile.paths[path].parent];
        });
    keep_used(profile.paths, used);
    for (Path& path : profile.paths)
        if (path.parent != no_index)
            path.parent = place[path.parent];
    for (ThreadFigures& thread : profile.threads)
        thread.start = place[thread.start];
    for_each_list_of_paths(profile,
                           [&](auto& elements) { move_to_new_paths(elements, used, place); });
    if (nodes)
        for (std::vector<std::uint32_t>& path_of : nodes->path_of)
            for (std::uint32_t& path : path_of)
                if (path < place.size())
                    path = place[path];
    drop_unused_functions(profile);
}

}  // namespace vftrace
