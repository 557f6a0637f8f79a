#include "collate/unused_paths.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "profile/row_keys.hpp"

namespace vftrace {
namespace {

// `used`: which paths are used by themselves. Returns those and their callers.
std::vector<bool> with_callers(const Profile& profile, std::vector<bool> used) {
    for (std::size_t i = used.size(); i-- > 0;)
        if (const std::uint32_t parent = profile.paths[i].parent; used[i] && parent != no_index)
            used[parent] = true;
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

// Visits the indices in all lists that have this role.
template <class Role, class Visit>
void for_each_index(Profile& profile, Visit visit) {
    for_each_list([&](const auto& list) {
        using Row = typename std::remove_cvref_t<decltype(list)>::Row;
        for_each_key_and_label<Row>([&](const auto& key) {
            if constexpr (has_role<Role, decltype(key)>)
                for (Row& row : profile.*list.rows)
                    if (row.*key.member != no_index)
                        visit(row.*key.member);
        });
    });
}

void drop_rows_of_unused_paths(Profile& profile, const std::vector<bool>& used) {
    for_each_list([&](const auto& list) {
        using Row = typename std::remove_cvref_t<decltype(list)>::Row;
        if constexpr (has_key_of_role<Row, PathIndex>())
            std::erase_if(profile.*list.rows, [&](const Row& row) { return !used[row.path]; });
    });
}

void drop_unused_functions(Profile& profile) {
    std::vector<bool> used(profile.functions.size(), false);
    for (const Path& path : profile.paths)
        used[path.function] = true;
    for (const FilteredFunction& filtered : profile.filtered)
        used[filtered.function] = true;
    for_each_index<FunctionOrNone>(profile, [&](std::uint32_t function) { used[function] = true; });
    const std::vector<std::uint32_t> place = places_of(used, [](auto, auto&) { return 0u; });
    keep_used(profile.functions, used);
    for (Path& path : profile.paths)
        path.function = place[path.function];
    for (FilteredFunction& filtered : profile.filtered)
        filtered.function = place[filtered.function];
    for_each_index<FunctionOrNone>(profile,
                                   [&](std::uint32_t& function) { function = place[function]; });
}

void keep_only(Profile& profile, const std::vector<bool>& used, PathsOfNodes* nodes) {
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
    drop_rows_of_unused_paths(profile, used);
    const auto renumber = [&](std::uint32_t& path) { path = place[path]; };
    for_each_index<PathIndex>(profile, renumber);
    for_each_index<PathOrNone>(profile, renumber);
    for_each_index<PathIfKnown>(profile, renumber);
    if (nodes)
        for (std::vector<std::uint32_t>& path_of : nodes->path_of)
            for (std::uint32_t& path : path_of)
                if (path < place.size())
                    path = place[path];
    drop_unused_functions(profile);
}

}  // namespace

void drop_unused_paths(Profile& profile, PathsOfNodes* nodes) {
    std::vector<bool> used;
    for (const Path& path : profile.paths)
        used.push_back(path.calls > 0 ||
                       !row_of(profile.functions[path.function].kind).is(kind_is_prepared));
    keep_only(profile, with_callers(profile, std::move(used)), nodes);
}

void drop_untouched_paths(Profile& profile) {
    std::vector<bool> used;
    for (const Path& path : profile.paths)
        used.push_back(path.parent == no_index || path.calls > 0 || path.inclusive_ns > 0 ||
                       path.exclusive_ns > 0);
    // Messages may arrive, and GPUs may work, after the call that asked for it; tasks may have been
    // created that have not run yet.
    const auto note = [&](const auto& rows) {
        for (const auto& row : rows)
            if (row.path != no_index)
                used[row.path] = true;
    };
    note(profile.messages);
    note(profile.matrix);
    note(profile.gpu_work);
    note(profile.transfers);
    for (const MetricValue& row : profile.metric_values)
        if (row.value != 0 && profile.metrics[row.metric].reduction == Reduction::sum)
            used[row.path] = true;
    keep_only(profile, with_callers(profile, std::move(used)), nullptr);
}

}  // namespace vftrace
