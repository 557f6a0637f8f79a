// The figures of functions by name, over all of their call paths, threads and ranks.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "profile/profile.hpp"

namespace vftrace {

struct FunctionSum {
    double own_seconds = 0, total_seconds = 0;  // total: of outermost calls
    double error_seconds = 0;                   // of the own time, standard error
    std::uint64_t calls = 0;
    bool exact_calls = true;  // all of them were counted
};

// By the names that tables show. Without paused paths.
std::map<std::string, FunctionSum> function_sums(const Profile& profile);

}  // namespace vftrace
