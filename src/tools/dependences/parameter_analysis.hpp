// The result of an analysis of parameters (doc/parameters-json.md): the parameters that determine
// how often the loops of a program run, by function and call path.
//
//   ParameterAnalysis: functions by index | parameters by index
//     -> ProfiledFunction, for each function with a loop that depends on a parameter
//       -> LoopProfile, one for each way in which its loops depended on them, with call stacks
//         -> Loop, nested
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace vftrace {

// Indices into ParameterAnalysis::parameters, sorted, each once.
using ParameterSet = std::vector<std::uint32_t>;

// A profile of a function that has been called.
struct CalledProfile {
    std::uint32_t function = 0;  // index
    std::uint32_t entry = 0;     // index into its ProfiledFunction::profiles
    auto operator<=>(const CalledProfile&) const = default;
};
// By the number of the call in the function.
using Calls = std::map<std::uint32_t, std::vector<CalledProfile>>;

// What repeats without being a loop of the source counts as a loop, too.
enum class LoopKind : std::uint8_t {
    source,
    library,   // in a function of the C library, whose length is an argument
    recursion  // the function calls itself, also through others
};

struct Loop {
    LoopKind kind = LoopKind::source;
    std::uint32_t level = 0;
    std::uint32_t line = 0;  // 0: not known
    // The sets of parameters on which its iterations depended; no set contains another one.
    std::vector<ParameterSet> params;
    std::map<std::uint32_t, ParameterSet> branches;
    std::map<std::uint32_t, Loop> loops;
    Calls calls;  // in this loop, but not in a loop inside it
};

struct LoopProfile {
    std::vector<std::vector<std::uint32_t>> callstacks;  // indices, outermost first
    std::map<std::uint32_t, Loop> loops;
    Calls calls;  // outside of all loops
};

struct ProfiledFunction {
    std::uint32_t function = 0;  // index
    std::string file;            // empty: not known
    std::uint32_t line = 0;
    std::vector<LoopProfile> profiles;
};

struct AnalysedFunction {
    std::string name, symbol, demangled;
};

// Calls of code that is not analysed, with data that depend on parameters. The results of this code
// are assumed not to depend on parameters.
struct OpaqueCall {
    std::string symbol;
    std::uint64_t calls = 0;
    ParameterSet params;
};

struct ParameterAnalysis {
    std::string application;  // empty: not in the file
    std::vector<AnalysedFunction> functions;
    std::vector<std::string> parameters;
    std::vector<ProfiledFunction> profiled;
    // Indices of functions with code, but without a loop that depends on a parameter.
    std::vector<std::uint32_t> unimportant;
    // Indices of functions whose work may depend on more than was found, and of those that may call
    // others more or less often because of that (doc/parameters-json.md).
    std::vector<std::uint32_t> unknown, unknown_calls;
    std::vector<std::uint32_t> unknown_callers;  // those that call an unknown one, or its callers
    std::vector<std::string> more_parameters;    // without a label in this run
    std::vector<OpaqueCall> opaque_calls;
    bool is_complete = true;      // false: the program was ended by a signal
    bool history_matches = true;  // false: a run differed from the runs before it
    std::int64_t rank = -1;       // -1: not of one rank
    std::uint32_t ranks = 0;      // 0: without MPI
};

// Adds a set to sets of which none contains another one. Sets that the new one contains are
// dropped; the new one is dropped if one of the others contains it.
void add_maximal(std::vector<ParameterSet>& sets, ParameterSet set);

// The elements of both.
ParameterSet united(const ParameterSet& a, const ParameterSet& b);

// Calls `visit(loop)` for a profile's loops, including nested loops.
template <class Visit>
void visit_loops(const std::map<std::uint32_t, Loop>& loops, const Visit& visit) {
    for (const auto& [number, loop] : loops) {
        visit(loop);
        visit_loops(loop.loops, visit);
    }
}

// Indices of parameters that no loop and no branch depends on.
ParameterSet unused_parameters(const ParameterAnalysis& analysis);

}  // namespace vftrace
