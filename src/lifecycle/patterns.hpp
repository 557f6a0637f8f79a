// Patterns of the configuration that match no function, which is the symptom of misspelt ones.
#pragma once

#include "symbol/function_set.hpp"

namespace vftrace {

// From when on the functions of a library that is opened later are chosen too.
enum class LaterLibraries { followed, left_alone };

// Has tell_unmatched_patterns() look at what the option `option` chooses by `pattern`. All must
// stay. Called at start, when `functions` has seen what is loaded.
void watch_pattern(const char* option, const char* pattern, FunctionSet& functions,
                   LaterLibraries later);

// Says which patterns match no function of the program: at the end, because its libraries count
// too. Of the ranks of a job the first one of each program speaks. Allocates.
void tell_unmatched_patterns(const char* application);

}  // namespace vftrace
