// The words that stand for enumerators in a profile's JSON file: what the writer writes, the
// reader knows. doc/profile-json.md explains them to users.
#pragma once

#include <string_view>

#include "profile/profile.hpp"

namespace vftrace::profile_json {

inline constexpr std::string_view format_name = "vftrace-profile";
inline constexpr int format_version = 1;

template <class Value>
struct Word {
    Value value;
    std::string_view word;
};

inline constexpr Word<FunctionKind> function_kinds[] = {
    {FunctionKind::root, "root"},     {FunctionKind::function, "function"},
    {FunctionKind::region, "region"}, {FunctionKind::mpi, "mpi"},
    {FunctionKind::pause, "pause"},   {FunctionKind::thread, "thread"},
    {FunctionKind::openmp, "openmp"}};

inline constexpr Word<PathFlag> path_flags[] = {{path_closed_without_exit, "closed-without-exit"},
                                                {path_recursion_folded, "recursion-folded"},
                                                {path_paused, "paused"}};

inline constexpr Word<Reduction> reductions[] = {{Reduction::sum, "sum"},
                                                 {Reduction::max, "max"},
                                                 {Reduction::min, "min"},
                                                 {Reduction::mean, "mean"}};

}  // namespace vftrace::profile_json
