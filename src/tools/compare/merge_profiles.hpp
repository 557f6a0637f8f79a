// Merges several profiles into one: those of the ranks of a run, or of runs of one program. For
// tools.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// The profiles do not belong together; one line that says why.
class MergeError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The profile that the ranks would have written together in MPI_Finalize: sums, the spread over
// ranks, the list of ranks. Each profile is that of one rank; `names` are their files, for
// messages. A warning names the ranks that are missing. Throws MergeError if they are not ranks of
// one run, or one of them occurs twice.
Profile merge_ranks(std::vector<Profile> profiles, const std::vector<std::string>& names);

enum class RunReduction { sum, mean };

// One profile of several runs of one program: calls, times, messages and further figures of equal
// call paths are added up, or are their mean over the runs (a path that a run did not take counts
// as 0; counts are rounded to whole numbers). Further figures that are not sums are combined as
// over ranks. Runs of MPI programs must have the same ranks, whose figures are added too; how a
// path's time is spread over the ranks is not known for the sum, and neither are the figures of
// single threads by path. Throws MergeError.
Profile merge_runs(std::vector<Profile> profiles, const std::vector<std::string>& names,
                   RunReduction reduction);

}  // namespace vftrace
