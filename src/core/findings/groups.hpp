// Findings that have the same cause.
#pragma once

#include "findings/rules.hpp"

namespace vftrace {

// Makes findings the effects of the finding that causes them, and sorts both by what they could
// save. The savings of what remains add up to at most the run time.
RunFindings grouped_by_cause(RunFindings findings, double elapsed_s);

}  // namespace vftrace
