// Functions that lost their hooks in one of two runs (see collate/filtered_functions.hpp): in that
// run their time is part of their callers' time, in the other run it is their own. For tools.
#pragma once

#include "compare/compared_profile.hpp"

namespace vftrace {

// Adds the time of these functions to their callers in both profiles, as in the run that filtered
// them, so that callers can be compared, and lists the functions in pair.filtered_in_one, those
// that took longest first. Without effect if both runs have filtered the same functions. In a log
// that does not contain whole paths, paths below such functions are kept.
void fold_filtered_in_one(ComparedPair& pair);

}  // namespace vftrace
