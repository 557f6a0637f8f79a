// The version that logs, traces and tools show; set by configure.
#pragma once

namespace vftrace {

inline constexpr const char* version = VFTRACE_VERSION;

}  // namespace vftrace
