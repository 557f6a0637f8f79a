// The rules that look for faults: one file a rule, one row of rules.inc each.
//
// A rule adds what it finds, as often as it likes, and knows nothing of the others; find_all()
// chooses. What it says is true of the profile that it was given: a figure that would have to be
// guessed is left out.
#pragma once

#include <string_view>
#include <vector>

#include "findings/findings.hpp"
#include "findings/run_facts.hpp"

namespace vftrace {

using RunFindings = std::vector<RunFinding>;

#define VFTRACE_FINDING_RULE(function, id)                                                         \
    void find_##function(const RunFacts& run, std::string_view rule, RunFindings& findings);
#include "findings/rules.inc"
#undef VFTRACE_FINDING_RULE

}  // namespace vftrace
