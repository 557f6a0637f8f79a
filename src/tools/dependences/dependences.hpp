// Which parameters the time of functions and call paths can depend on, and which of them act
// together, according to an analysis of parameters. For reports and for models of the run time.
//
// Parameters act together, so that their effects may multiply, if a loop depends on both, or if
// loops of both are nested, within a function or through a call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dependences/parameter_analysis.hpp"

namespace vftrace {

class ParameterDependences {
  public:
    // `analysis` must outlive this object.
    explicit ParameterDependences(const ParameterAnalysis& analysis);

    // Sets of parameters that act together; no set contains another one. Without sets, nothing
    // depends on a parameter.
    using Sets = std::vector<ParameterSet>;

    // The function's own loops (by index), over all of its call paths.
    Sets of_own_loops(std::uint32_t function) const;
    // The same with all functions that it calls.
    Sets of_function(std::uint32_t function) const;

    // What the calls and the time of a path depend on: of its last function alone, or with all
    // functions that it calls. The path consists of symbols, outermost function first. How often
    // the last function is called also depends on loops of the functions before it. Code unknown to
    // the analysis, such as functions of libraries, counts as part of its caller. This restricts
    // models: a parameter that is not in any set cannot have an effect, as far as the analysis can
    // see.
    Sets of_path(std::span<const std::string_view> path, bool with_callees) const;

    // Whether the function is part of the analysis: it has code that was analysed, or a known
    // effect.
    bool knows(std::string_view symbol) const { return index_of(symbol) != unknown; }

    // Functions that were analysed and in which nothing depends on a parameter: neither in them nor
    // in what was seen to be called by them, and more cannot be.
    std::vector<std::uint32_t> independent_functions() const;

    // Whether the work of the function may depend on more than was found: labels get lost, or it
    // calls code that is not analysed. And whether that may decide how often it calls others.
    bool is_unknown(std::string_view symbol) const { return has(unknown_, symbol); }
    bool has_unknown_calls(std::string_view symbol) const { return has(unknown_calls_, symbol); }

  private:
    static constexpr std::uint32_t unknown = ~std::uint32_t{0};

    std::uint32_t index_of(std::string_view symbol) const;
    bool has(const std::vector<bool>& marks, std::string_view symbol) const {
        const std::uint32_t index = index_of(symbol);
        return index != unknown && marks[index];
    }
    const ProfiledFunction* profiled(std::uint32_t function) const;
    const Sets& with_callees(const CalledProfile& called) const;
    Sets of_calls(const Calls& calls) const;
    Sets of_loop(const Loop& loop, bool with_callees) const;
    Sets of_profile(const LoopProfile& profile, bool with_callees) const;
    Sets around_calls(std::uint32_t caller, std::uint32_t callee) const;

    const ParameterAnalysis& analysis_;
    std::unordered_map<std::string_view, std::uint32_t> index_of_symbol_;
    std::vector<bool> unknown_, unknown_calls_;  // by index of the function
    std::vector<std::uint32_t> row_of_;          // by index of the function: into analysis.profiled
    // By index into analysis.profiled and entry: the sets of the profile with all functions that it
    // calls.
    std::vector<std::vector<Sets>> with_callees_;
};

}  // namespace vftrace
