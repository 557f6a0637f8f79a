#include "dependences/dependences.hpp"

#include <algorithm>
#include <utility>

namespace vftrace {
namespace {

using Sets = ParameterDependences::Sets;

void add_all(Sets& sets, const Sets& more) {
    for (const ParameterSet& set : more)
        if (!set.empty())
            add_maximal(sets, set);
}

// The sets of loops with the sets `outer` around loops with the sets `inner`.
Sets product(const Sets& outer, const Sets& inner) {
    Sets sets = outer;
    add_all(sets, inner);
    for (const ParameterSet& a : outer)
        for (const ParameterSet& b : inner)
            add_maximal(sets, united(a, b));
    return sets;
}

// Compilers append suffixes such as ".isra.0" to the names of copies of functions.
std::string_view without_suffix(std::string_view symbol) {
    return symbol.substr(0, symbol.find('.', 1));
}

}  // namespace

ParameterDependences::ParameterDependences(const ParameterAnalysis& analysis)
    : analysis_(analysis), unknown_(analysis.functions.size()),
      unknown_calls_(analysis.functions.size()), row_of_(analysis.functions.size(), unknown) {
    for (const std::uint32_t function : analysis.unknown)
        unknown_[function] = true;
    for (const std::uint32_t function : analysis.unknown_calls)
        unknown_calls_[function] = true;
    for (const std::uint32_t function : analysis.unimportant)
        index_of_symbol_.emplace(analysis.functions[function].symbol, function);
    for (std::uint32_t row = 0; row < analysis.profiled.size(); row++) {
        const ProfiledFunction& function = analysis.profiled[row];
        row_of_[function.function] = row;
        index_of_symbol_.emplace(analysis.functions[function.function].symbol, function.function);
        with_callees_.emplace_back(function.profiles.size());
    }
    // Files of Perf-taint do not record which functions have code.
    if (analysis.unimportant.empty())
        for (std::uint32_t i = 0; i < analysis.functions.size(); i++)
            index_of_symbol_.emplace(analysis.functions[i].symbol, i);
    // Functions may call each other, so the sets are extended until they no longer change.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t row = 0; row < analysis.profiled.size(); row++)
            for (std::size_t entry = 0; entry < with_callees_[row].size(); entry++) {
                Sets sets = of_profile(analysis.profiled[row].profiles[entry], true);
                std::sort(sets.begin(), sets.end());
                if (sets == with_callees_[row][entry])
                    continue;
                with_callees_[row][entry] = std::move(sets);
                changed = true;
            }
    }
}

std::uint32_t ParameterDependences::index_of(std::string_view symbol) const {
    auto found = index_of_symbol_.find(symbol);
    if (found == index_of_symbol_.end())
        found = index_of_symbol_.find(without_suffix(symbol));
    return found == index_of_symbol_.end() ? unknown : found->second;
}

const ProfiledFunction* ParameterDependences::profiled(std::uint32_t function) const {
    return row_of_[function] == unknown ? nullptr : &analysis_.profiled[row_of_[function]];
}

const Sets& ParameterDependences::with_callees(const CalledProfile& called) const {
    return with_callees_[row_of_[called.function]][called.entry];
}

Sets ParameterDependences::of_calls(const Calls& calls) const {
    Sets sets;
    for (const auto& [number, called] : calls)
        for (const CalledProfile& one : called)
            add_all(sets, with_callees(one));
    return sets;
}

Sets ParameterDependences::of_loop(const Loop& loop, bool with_callees) const {
    Sets own, inside;
    add_all(own, loop.params);
    for (const auto& [number, set] : loop.branches)
        add_all(inside, {set});
    for (const auto& [number, inner] : loop.loops)
        add_all(inside, of_loop(inner, with_callees));
    if (with_callees)
        add_all(inside, of_calls(loop.calls));
    return product(own, inside);
}

Sets ParameterDependences::of_profile(const LoopProfile& profile, bool with_callees) const {
    Sets sets;
    for (const auto& [number, loop] : profile.loops)
        add_all(sets, of_loop(loop, with_callees));
    if (with_callees)
        add_all(sets, of_calls(profile.calls));
    return sets;
}

Sets ParameterDependences::of_own_loops(std::uint32_t function) const {
    Sets sets;
    if (const ProfiledFunction* of = profiled(function))
        for (const LoopProfile& profile : of->profiles)
            add_all(sets, of_profile(profile, false));
    return sets;
}

Sets ParameterDependences::of_function(std::uint32_t function) const {
    Sets sets;
    if (row_of_[function] != unknown) {
        for (const Sets& of_entry : with_callees_[row_of_[function]])
            add_all(sets, of_entry);
        return sets;
    }
    // Calls are recorded only of functions that have a profile. Other functions are found in call
    // stacks.
    for (const ProfiledFunction& other : analysis_.profiled)
        for (std::uint32_t entry = 0; entry < other.profiles.size(); entry++) {
            const auto& stacks = other.profiles[entry].callstacks;
            if (std::any_of(stacks.begin(), stacks.end(), [&](const auto& stack) {
                    return std::find(stack.begin(), stack.end(), function) != stack.end();
                }))
                add_all(sets, with_callees({other.function, entry}));
        }
    return sets;
}

// Loops of a function around its calls of another one. If the other one does not have a profile, no
// calls of it are recorded, and it may be called in any loop.
Sets ParameterDependences::around_calls(std::uint32_t caller, std::uint32_t callee) const {
    const ProfiledFunction* const function = profiled(caller);
    if (!function)
        return {};
    if (!profiled(callee))
        return of_own_loops(caller);
    Sets sets;
    const auto has_call = [&](const Calls& calls) {
        return std::any_of(calls.begin(), calls.end(), [&](const auto& call) {
            return std::any_of(call.second.begin(), call.second.end(),
                               [&](const CalledProfile& one) { return one.function == callee; });
        });
    };
    const auto add = [&](auto& self, const Sets& outer, const Loop& loop) -> void {
        Sets own;
        add_all(own, loop.params);
        const Sets here = product(outer, own);
        if (has_call(loop.calls))
            add_all(sets, here);
        for (const auto& [number, inner] : loop.loops)
            self(self, here, inner);
    };
    for (const LoopProfile& profile : function->profiles)
        for (const auto& [number, loop] : profile.loops)
            add(add, {}, loop);
    return sets;
}

Sets ParameterDependences::of_path(std::span<const std::string_view> path,
                                   bool with_callees) const {
    // The functions of the path that the analysis knows.
    std::vector<std::uint32_t> known;
    for (const std::string_view symbol : path)
        if (const std::uint32_t index = index_of(symbol); index != unknown)
            known.push_back(index);
    if (known.empty())
        return {};
    Sets sets;
    for (std::size_t i = 0; i + 1 < known.size(); i++) {
        // Functions in between may not have a profile: the calls of the next one that has a profile
        // show which loops are around it.
        std::size_t next = i + 1;
        while (next + 1 < known.size() && !profiled(known[next]))
            next++;
        sets = product(sets, around_calls(known[i], known[next]));
    }
    const bool last_is_known = index_of(path.back()) != unknown;
    return product(sets, with_callees || !last_is_known ? of_function(known.back())
                                                        : of_own_loops(known.back()));
}

std::vector<std::uint32_t> ParameterDependences::independent_functions() const {
    std::vector<bool> depends(analysis_.functions.size());
    for (const ProfiledFunction& function : analysis_.profiled) {
        depends[function.function] = true;
        for (const LoopProfile& profile : function.profiles)
            for (const auto& stack : profile.callstacks)
                for (const std::uint32_t caller : stack)
                    depends[caller] = true;
    }
    for (const std::uint32_t caller : analysis_.unknown_callers)
        depends[caller] = true;  // perhaps
    std::vector<std::uint32_t> independent;
    for (const std::uint32_t function : analysis_.unimportant)
        if (!depends[function] && !unknown_[function])
            independent.push_back(function);
    return independent;
}

}  // namespace vftrace
