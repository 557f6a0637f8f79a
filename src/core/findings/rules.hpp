// The rules that look for faults: one file and one row of rules.inc per rule.
//
// A rule adds any number of findings and does not depend on other rules; find_all() makes the
// selection. Findings are facts about the given profile: figures that would have to be guessed are
// left out.
#pragma once

#include <string_view>
#include <vector>

#include "findings/findings.hpp"
#include "findings/run_facts.hpp"

namespace vftrace {

using RunFindings = std::vector<RunFinding>;

#define VFTRACE_FINDING_RULE(function, id, evidence)                                               \
    void find_##function(const RunFacts& run, std::string_view rule, RunFindings& findings);
#include "findings/rules.inc"
#undef VFTRACE_FINDING_RULE

}  // namespace vftrace
