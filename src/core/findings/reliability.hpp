// What of the findings a measurement on a busy machine supports.
#pragma once

#include "findings/rules.hpp"

namespace vftrace {

// Takes out findings that waiting for processors explains which others used, and lowers the
// confidence of those that it may explain in part.
void leave_what_is_supported(const RunFacts& run, RunFindings& findings);

}  // namespace vftrace
