// The version that logs, traces and tools show. From configure.
#pragma once

namespace vftrace {

inline constexpr const char* version = VFTRACE_VERSION;

}  // namespace vftrace
