// The name of the mark of a process, a copy of its tree file that `vftrace mark` makes: that of the
// tree file, and this.
#pragma once

namespace vftrace {

inline constexpr const char* mark_suffix = ".mark";

}  // namespace vftrace
