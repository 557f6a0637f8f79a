// The suffix of the mark of a process, which is a copy of its tree file made by `vftrace mark`. It
// is appended to the name of the tree file.
#pragma once

namespace vftrace {

inline constexpr const char* mark_suffix = ".mark";

}  // namespace vftrace
