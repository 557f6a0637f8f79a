// Functions and call paths of a profile, with the times of each path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "record/node_kinds.hpp"

namespace vftrace {

// Marks "no module", "no parent", "no source".
inline constexpr std::uint32_t no_index = 0xffffffff;

// An executable or shared library that contains functions of the profile.
struct Module {
    std::string path;      // as loaded; absolute for files
    std::string build_id;  // hexadecimal, empty if the file has none
};

struct Function {
    std::string symbol;      // as in the symbol table (`_ZN1A3fooEi`, `solve_`); empty for regions
    std::string name;        // symbol without trailing underscores; what STIDs are made from.
                             // "module+0x12f0" if there is no symbol; the text of a region
    std::string demangled;   // whole C++ name with parameters, path of a Rust function; of a region
                             // that has the name of a type, that type; else empty
    std::string display;     // what tables show
    std::string file;        // source file, empty if unknown; for OpenMP where the construct is
    std::uint32_t line = 0;  // line in `file`, 0 if unknown
    std::uint32_t module = no_index;
    std::uint64_t offset = 0;  // address in the module: run-time address - load bias; for `gpu`
                               // gpu_call_id(), for OpenACC with openacc_callback(); for `section`
                               // its level
    NodeKind kind = NodeKind::function;
    std::string other_kind;  // the word of NodeKind::other
};

// The word that stands for the function's kind in files.
inline std::string_view kind_word(const Function& function) {
    return function.kind == NodeKind::other ? function.other_kind : row_of(function.kind).word;
}
// The kind with this word: NodeKind::other if there is none.
NodeKind kind_of_word(std::string_view word);

// One call path: a function together with the path it was called from.
struct Path {
    std::uint32_t parent = no_index;  // index into Profile::paths, always smaller than its own
    std::uint32_t function = 0;       // index into Profile::functions
    std::uint32_t stid = 0;           // rank of `hash` among all paths; the number in tables
    std::uint32_t flags = 0;          // PathFlag
    std::uint64_t hash = 0;
    std::uint64_t calls = 0;        // 0 if `samples` time the path
    std::uint64_t samples = 0;      // of the call stack, in the function itself
    std::uint64_t page_faults = 0;  // of the function itself, by samples of them
    // Time in outermost activations, without paused time; all threads together. What a thread does
    // for a path of another thread (its thread function, its share of a parallel region) is part of
    // that path and of the paths below, not of those above.
    std::int64_t inclusive_ns = 0;
    std::int64_t exclusive_ns = 0;  // of that, what was spent in the function itself
    std::int64_t kernel_ns = 0;     // of that, what the kernel did, by samples of it
    std::int64_t overhead_ns = 0;   // estimated cost of the hooks of this path
    // The same as measured, including the cost of measuring.
    std::int64_t raw_inclusive_ns = 0, raw_exclusive_ns = 0;
    // Standard errors: of estimates from some of the calls, and of the correction. Those of threads
    // and ranks are added up, as if all were off in the same direction.
    std::int64_t inclusive_error_ns = 0, exclusive_error_ns = 0;
};

enum PathFlag : std::uint32_t {
    // An activation ended without its exit hook (longjmp, exception past clang code, exit()).
    path_closed_without_exit = 1,
    // Deeper levels of an indirect recursion were folded into this path (max_recursion).
    path_recursion_folded = 2,
    // Part of `init`..pause: time spent paused. Not in application time, percentages, ancestors.
    path_paused = 4,
    // Only a fraction of its calls was timed: its times are estimates.
    path_thinned = 8,
    // Its function has lost its hooks: `calls` are those before.
    path_calls_until_removal = 16,
    // Its times are estimates from the clock and samples.
    path_combined = 32,
    // Its function has lost its hooks: `calls` are estimated from those of its caller, on some
    // threads at least.
    path_calls_estimated = 64,
};

// Whether more was subtracted from the time than is left: the rest is not much more than a guess.
inline bool is_mostly_overhead(const Path& path) {
    return !(path.flags & path_combined) &&
           path.raw_exclusive_ns - path.exclusive_ns > path.exclusive_ns;
}

// Whether all calls of the path were counted, and there were some.
inline bool has_exact_calls(const Path& path) {
    return path.calls > 0 && !(path.flags & (path_calls_until_removal | path_calls_estimated));
}

enum class FilterReason : std::uint8_t {
    budget,    // measuring it cost too much for its own time
    excluded,  // by the configuration
    sampled    // as `budget`, and has paths: samples give its time
};

// A function that has lost its hooks. Unless it is `sampled` it has no paths, and what was measured
// there is part of its callers.
struct FilteredFunction {
    std::uint32_t function = 0;  // index into Profile::functions
    std::uint64_t calls = 0;     // before the removal of its hooks, or all if `still_called`
    std::int64_t exclusive_ns = 0, overhead_ns = 0;  // of those calls; `sampled`: of the whole run
    std::int64_t moment_ns =
        -1;  // of the removal of its hooks, since the start; the first one. -1: unknown
    FilterReason reason = FilterReason::budget;
    bool still_called = false;  // its hooks could not be removed: they only count
};

}  // namespace vftrace
