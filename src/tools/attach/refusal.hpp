// Why the kernel does not let us sample a process.
#pragma once

#include <cstdint>
#include <string>

namespace vftrace {

// One line with the remedy. `error`: errno of perf_event_open() for a thread of the process.
std::string why_refused(std::int64_t thread, int error);

}  // namespace vftrace
