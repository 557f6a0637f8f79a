// Patterns of the configuration that do not match any function, which usually means that they are
// misspelt.
#pragma once

#include "symbol/function_set.hpp"

namespace vftrace {

// Whether the functions of libraries that are opened later are selected too.
enum class LaterLibraries { followed, left_alone };

// Has report_unmatched_patterns() check the functions that the option `option` selects by
// `pattern`. All three objects must stay valid. Called at the start, after the loaded files have
// been added to `functions`.
void watch_pattern(const char* option, const char* pattern, FunctionSet& functions,
                   LaterLibraries later);

// Reports which patterns do not match any function of the program; called at the end, because
// libraries that it opens count too. In a job, the first rank of each program reports this.
// Allocates.
void report_unmatched_patterns(const char* application);

}  // namespace vftrace
