#include "compare/filtered_in_one.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/core.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "collate/path_hash.hpp"
#include "profile/display_names.hpp"
#include "report/path_text.hpp"

namespace vftrace {
namespace {

// By function_key; the text belongs to another object.
using Keys = std::unordered_set<std::string_view>;
using FilteredByKey = std::unordered_map<std::string_view, const ComparedFiltered*>;

FilteredByKey filtered_by_key(const ComparedProfile& profile) {
    FilteredByKey result;
    for (const ComparedFiltered& filtered : profile.filtered)
        if (filtered.reason != FilterReason::sampled)  // these have paths
            result.try_emplace(filtered.function_key, &filtered);
    return result;
}

// Finds what `measured` has for the functions that only the other profile has filtered.
void find(const ComparedProfile& measured, const FilteredByKey& filtered_there,
          const FilteredByKey& filtered_here, bool in_a, Keys& keys,
          std::vector<FilteredInOne>& list) {
    std::unordered_map<std::string_view, std::size_t> place_of;
    for (const ComparedPath& path : measured.paths) {
        const auto other = filtered_there.find(path.function_key);
        if (other == filtered_there.end() || filtered_here.contains(path.function_key))
            continue;
        const ComparedFiltered& filtered = *other->second;
        const auto [place, is_new] = place_of.try_emplace(filtered.function_key, list.size());
        if (is_new) {
            keys.insert(filtered.function_key);
            FilteredInOne& found = list.emplace_back();
            found.function = filtered.function;
            found.in_a = in_a;
            found.reason = filtered.reason;
            found.still_called = filtered.still_called;
            (in_a ? found.a : found.b) = filtered.figures;
        }
        FilteredInOne& found = list[place->second];
        FilteredFigures& figures = in_a ? found.b : found.a;
        add_saturating(figures.calls, path.calls);
        add_saturating(figures.exclusive_ns, path.exclusive_ns);
        add_saturating(figures.overhead_ns, path.overhead_ns);
    }
}

class Folding {
  public:
    Folding(ComparedProfile& profile, const Keys& keys, bool paths_are_texts)
        : paths_(profile.paths), paths_are_texts_(paths_are_texts) {
        for (std::uint32_t i = 0; i < paths_.size(); i++) {
            first_of_.try_emplace(paths_[i].function_key, i);
            is_folded_.push_back(keys.contains(paths_[i].function_key));
        }
    }

    void run() {
        for (std::uint32_t i = 0; i < paths_.size(); i++)
            if (is_folded_[i])
                give_to_caller(i);
        std::vector<ComparedPath> kept;
        for (std::uint32_t i = 0; i < paths_.size(); i++)
            if (!is_folded_[i])
                kept.push_back(without_folded(i));
        paths_ = std::move(kept);
    }

  private:
    // The path's parent, or otherwise one of the paths of the calling function.
    std::uint32_t caller_of(std::uint32_t path) const {
        if (paths_[path].parent != no_index)
            return paths_[path].parent;
        const auto first = first_of_.find(paths_[path].caller_key);
        return first == first_of_.end() ? no_index : first->second;
    }

    void give_to_caller(std::uint32_t path) {
        std::size_t steps = 0;  // guesses may go round in circles
        std::uint32_t caller = caller_of(path);
        while (caller != no_index && is_folded_[caller] && ++steps <= paths_.size())
            caller = caller_of(caller);
        if (caller == no_index || is_folded_[caller])
            return;
        add_saturating(paths_[caller].exclusive_ns, paths_[path].exclusive_ns);
        add_saturating(paths_[caller].doubt_ns,
                       std::max<std::int64_t>(paths_[path].overhead_ns, 0));
    }

    // A path with the name that it has without the folded ones above it.
    ComparedPath without_folded(std::uint32_t path) const {
        ComparedPath result = paths_[path];
        result.parent = no_index;  // the numbers have changed
        std::vector<std::string_view> functions, names;
        bool any_folded = false;
        std::uint32_t last = path;
        for (std::uint32_t i = path; i != no_index; i = paths_[i].parent) {
            last = i;
            any_folded |= is_folded_[i];
            if (!is_folded_[i]) {
                functions.push_back(paths_[i].function);
                const std::string& key = paths_[i].function_key;
                names.push_back(key == root_key ? root_name : std::string_view(key));
            }
        }
        const bool is_whole = paths_[last].caller_key.empty();
        if (!any_folded || !is_whole)
            return result;
        result.path = joined_call_path(functions);
        result.path_key = paths_are_texts_ ? result.path : hash_of(names);
        return result;
    }

    // Computed like Path::hash.
    static std::string hash_of(const std::vector<std::string_view>& names) {
        return path_key_of_hash(path_hash(names));
    }

    std::vector<ComparedPath>& paths_;
    const bool paths_are_texts_;
    std::vector<bool> is_folded_;
    std::unordered_map<std::string_view, std::uint32_t> first_of_;  // by function_key
};

}  // namespace

void fold_filtered_in_one(ComparedPair& pair) {
    auto& [a, b, list] = pair;
    const FilteredByKey in_a = filtered_by_key(a), in_b = filtered_by_key(b);
    Keys keys;
    find(b, in_a, in_b, true, keys, list);
    find(a, in_b, in_a, false, keys, list);
    if (list.empty())
        return;
    const bool paths_are_texts = a.from_log || b.from_log;
    for (ComparedProfile* profile : {&a, &b})
        Folding(*profile, keys, paths_are_texts).run();
    std::stable_sort(list.begin(), list.end(), [](const FilteredInOne& x, const FilteredInOne& y) {
        return x.longest_ns() > y.longest_ns();
    });
}

}  // namespace vftrace
