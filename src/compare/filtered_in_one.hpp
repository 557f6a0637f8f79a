// Functions that lost their hooks in one of two runs (see collate/filtered_functions.hpp): in that
// run their time is part of their callers' time, in the other run it is their own. For tools.
#pragma once

#include "compare/compared_profile.hpp"

namespace vftrace {

// Gives what these functions took to their callers in both profiles, as the run did that filtered
// them, so that callers compare, and lists them in pair.filtered_in_one, those that took longest
// first. Without effect where both runs have filtered the same functions. Of a log that does not
// contain whole paths, paths below such functions are kept.
void fold_filtered_in_one(ComparedPair& pair);

}  // namespace vftrace
