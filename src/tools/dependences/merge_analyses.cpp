// Merges several analyses of parameters into one.
//
// Two profiles of a function are the same only if the profiles that they call are the same, and
// these may call each other. So all profiles of a function with the same loops start in one group,
// and groups are split as long as their members call profiles of different groups (the refinement
// that minimises automata, Moore 1956).
#include "dependences/merge_analyses.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace vftrace {
namespace {

template <class Key>
class Numbers {
  public:
    // The key's number; keys are numbered from 0 in the order of their first use.
    std::uint32_t operator()(const Key& key) {
        return numbers_.emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
    }
    std::size_t size() const { return numbers_.size(); }

  private:
    std::map<Key, std::uint32_t> numbers_;
};

// A profile from one of the analyses, with the indices of the merged analysis.
struct Member {
    std::uint32_t function = 0;
    LoopProfile profile;
    std::uint32_t group = 0;
};

// Calls `visit(calls)` for all calls of a profile, in a fixed order.
template <class Profile, class Visit>
void visit_calls(Profile& profile, const Visit& visit) {
    visit(profile.calls);
    const auto visit_in = [&](auto& self, auto& loops) -> void {
        for (auto& [number, loop] : loops) {
            visit(loop.calls);
            self(self, loop.loops);
        }
    };
    visit_in(visit_in, profile.loops);
}

void append(std::vector<std::uint64_t>& key, const ParameterSet& set) {
    key.push_back(set.size());
    key.insert(key.end(), set.begin(), set.end());
}

// Appends loops, without their calls, as numbers.
void append(std::vector<std::uint64_t>& key, const std::map<std::uint32_t, Loop>& loops) {
    key.push_back(loops.size());
    for (const auto& [number, loop] : loops) {
        key.insert(key.end(), {number, static_cast<std::uint64_t>(loop.kind), loop.level, loop.line,
                               loop.params.size()});
        for (const ParameterSet& set : loop.params)
            append(key, set);
        key.push_back(loop.branches.size());
        for (const auto& [branch, set] : loop.branches) {
            key.push_back(branch);
            append(key, set);
        }
        append(key, loop.loops);
    }
}

// Functions that have a mark in every analysis that has them: what one analysis has found, such as
// the label of a loop, counts for all.
class Marked {
  public:
    // `function`: merged indices by those of an analysis, in which these are marked.
    template <class Indices>
    void add(const Indices& function, std::size_t functions,
             const std::vector<std::uint32_t>& marked) {
        for (std::uint32_t i = 0; i < functions; i++)
            seen_[function[i]]++;
        for (const std::uint32_t index : std::set(marked.begin(), marked.end()))
            marked_[function[index]]++;
    }
    std::vector<std::uint32_t> in_all() const {
        std::vector<std::uint32_t> result;
        for (const auto& [function, marks] : marked_)
            if (marks == seen_.at(function))
                result.push_back(function);
        return result;
    }

  private:
    std::map<std::uint32_t, std::size_t> seen_, marked_;
};

class AnalysisMerger {
  public:
    explicit AnalysisMerger(const std::vector<ParameterAnalysis>& analyses) {
        merge_parameters(analyses);
        for (const ParameterAnalysis& analysis : analyses)
            add(analysis);
        split_groups();
        make_profiles();
        make_remarks(analyses);
    }

    ParameterAnalysis result() { return std::move(merged_); }

  private:
    // The number of ranks, "p", remains the last parameter.
    void merge_parameters(const std::vector<ParameterAnalysis>& analyses) {
        std::vector<std::string>& names = merged_.parameters;
        bool has_ranks = false;
        const auto is_ranks = [](const ParameterAnalysis& analysis, const std::string& name) {
            return analysis.ranks > 0 && name == "p" && &name == &analysis.parameters.back();
        };
        for (const ParameterAnalysis& analysis : analyses)
            for (const std::string& name : analysis.parameters)
                if (is_ranks(analysis, name))
                    has_ranks = true;
                else if (std::find(names.begin(), names.end(), name) == names.end())
                    names.push_back(name);
        if (has_ranks && std::find(names.begin(), names.end(), "p") == names.end())
            names.emplace_back("p");
    }

    std::uint32_t function_of(const AnalysedFunction& function) {
        const std::uint32_t index = function_numbers_(function.symbol);
        if (index == merged_.functions.size())
            merged_.functions.push_back(function);
        return index;
    }

    void add(const ParameterAnalysis& analysis) {
        std::vector<std::uint32_t> function, parameter;
        for (const AnalysedFunction& one : analysis.functions)
            function.push_back(function_of(one));
        for (const std::string& name : analysis.parameters)
            parameter.push_back(static_cast<std::uint32_t>(
                std::find(merged_.parameters.begin(), merged_.parameters.end(), name) -
                merged_.parameters.begin()));
        const auto translate_set = [&](ParameterSet& set) {
            for (std::uint32_t& one : set)
                one = parameter[one];
            std::sort(set.begin(), set.end());
        };
        const auto translate_loops = [&](auto& self, std::map<std::uint32_t, Loop>& loops) -> void {
            for (auto& [number, loop] : loops) {
                for (ParameterSet& set : loop.params)
                    translate_set(set);
                std::sort(loop.params.begin(), loop.params.end());
                for (auto& [branch, set] : loop.branches)
                    translate_set(set);
                self(self, loop.loops);
            }
        };

        // Where the profiles of each function begin among the members.
        std::unordered_map<std::uint32_t, std::size_t> first_member;
        std::size_t next = members_.size();
        for (const ProfiledFunction& profiled : analysis.profiled) {
            first_member[profiled.function] = next;
            next += profiled.profiles.size();
        }
        for (const ProfiledFunction& profiled : analysis.profiled) {
            const std::uint32_t merged = function[profiled.function];
            places_.try_emplace(merged, Place{profiled.file, profiled.line});
            for (const LoopProfile& profile : profiled.profiles) {
                Member& member = members_.emplace_back(Member{merged, profile});
                translate_loops(translate_loops, member.profile.loops);
                for (std::vector<std::uint32_t>& stack : member.profile.callstacks)
                    for (std::uint32_t& index : stack)
                        index = function[index];
                // Until all members are known, `entry` is the index among the members.
                visit_calls(member.profile, [&](Calls& calls) {
                    for (auto& [number, called] : calls)
                        for (CalledProfile& one : called)
                            one = {function[one.function],
                                   static_cast<std::uint32_t>(first_member.at(one.function) +
                                                              one.entry)};
                });
            }
        }
        for (const std::uint32_t index : analysis.unimportant)
            unimportant_.insert(function[index]);
        unknown_.add(function, analysis.functions.size(), analysis.unknown);
        unknown_calls_.add(function, analysis.functions.size(), analysis.unknown_calls);
        unknown_callers_.add(function, analysis.functions.size(), analysis.unknown_callers);
        for (OpaqueCall call : analysis.opaque_calls) {
            translate_set(call.params);
            OpaqueCall& sum = opaque_calls_[call.symbol];
            sum = {call.symbol, sum.calls + call.calls, united(sum.params, call.params)};
        }
    }

    void split_groups() {
        std::size_t groups = 0;
        {
            Numbers<std::vector<std::uint64_t>> number_of;
            for (Member& member : members_) {
                std::vector<std::uint64_t> key = {member.function};
                append(key, member.profile.loops);
                member.group = number_of(key);
            }
            groups = number_of.size();
        }
        for (;;) {
            Numbers<std::vector<std::uint64_t>> number_of;
            std::vector<std::uint32_t> next;
            for (const Member& member : members_) {
                std::vector<std::uint64_t> key = {member.group};
                visit_calls(member.profile, [&](const Calls& calls) {
                    key.push_back(calls.size());
                    for (const auto& [number, called] : calls) {
                        std::set<std::uint32_t> called_groups;
                        for (const CalledProfile& one : called)
                            called_groups.insert(members_[one.entry].group);
                        key.insert(key.end(), {number, called_groups.size()});
                        key.insert(key.end(), called_groups.begin(), called_groups.end());
                    }
                });
                next.push_back(number_of(key));
            }
            for (std::size_t i = 0; i < members_.size(); i++)
                members_[i].group = next[i];
            if (number_of.size() == groups)
                return;
            groups = number_of.size();
        }
    }

    void make_profiles() {
        // By group: the entry among the profiles of its function.
        std::unordered_map<std::uint32_t, std::uint32_t> entry_of;
        std::unordered_map<std::uint32_t, std::size_t> row_of;
        for (const Member& member : members_) {
            const auto [row, is_new_function] =
                row_of.try_emplace(member.function, merged_.profiled.size());
            if (is_new_function) {
                const Place& place = places_.at(member.function);
                merged_.profiled.push_back({member.function, place.file, place.line, {}});
            }
            ProfiledFunction& function = merged_.profiled[row->second];
            const auto [entry, is_new] = entry_of.try_emplace(
                member.group, static_cast<std::uint32_t>(function.profiles.size()));
            if (is_new) {
                function.profiles.push_back(member.profile);
                continue;
            }
            auto& stacks = function.profiles[entry->second].callstacks;
            for (const std::vector<std::uint32_t>& stack : member.profile.callstacks)
                if (std::find(stacks.begin(), stacks.end(), stack) == stacks.end())
                    stacks.push_back(stack);
        }
        for (ProfiledFunction& function : merged_.profiled)
            for (LoopProfile& profile : function.profiles)
                visit_calls(profile, [&](Calls& calls) {
                    for (auto& [number, called] : calls) {
                        for (CalledProfile& one : called)
                            one.entry = entry_of.at(members_[one.entry].group);
                        std::sort(called.begin(), called.end());
                        called.erase(std::unique(called.begin(), called.end()), called.end());
                    }
                });
    }

    void make_remarks(const std::vector<ParameterAnalysis>& analyses) {
        for (const ProfiledFunction& function : merged_.profiled)
            unimportant_.erase(function.function);
        merged_.unimportant.assign(unimportant_.begin(), unimportant_.end());
        merged_.unknown = unknown_.in_all();
        merged_.unknown_calls = unknown_calls_.in_all();
        merged_.unknown_callers = unknown_callers_.in_all();
        for (auto& [symbol, call] : opaque_calls_)
            merged_.opaque_calls.push_back(std::move(call));
        for (const ParameterAnalysis& analysis : analyses) {
            if (merged_.application.empty())
                merged_.application = analysis.application;
            merged_.is_complete &= analysis.is_complete;
            merged_.history_matches &= analysis.history_matches;
            merged_.ranks = std::max(merged_.ranks, analysis.ranks);
            for (const std::string& name : analysis.more_parameters)
                if (const auto is =
                        [&](const std::vector<std::string>& names) {
                            return std::find(names.begin(), names.end(), name) != names.end();
                        };
                    !is(merged_.parameters) && !is(merged_.more_parameters))
                    merged_.more_parameters.push_back(name);
        }
        if (analyses.size() == 1)
            merged_.rank = analyses[0].rank;
    }

    struct Place {
        std::string file;
        std::uint32_t line;
    };

    ParameterAnalysis merged_;
    Numbers<std::string> function_numbers_;
    std::vector<Member> members_;
    std::unordered_map<std::uint32_t, Place> places_;
    std::set<std::uint32_t> unimportant_;
    Marked unknown_, unknown_calls_, unknown_callers_;
    std::map<std::string, OpaqueCall> opaque_calls_;  // by symbol
};

}  // namespace

ParameterAnalysis merge_analyses(const std::vector<ParameterAnalysis>& analyses) {
    return AnalysisMerger(analyses).result();
}

}  // namespace vftrace
