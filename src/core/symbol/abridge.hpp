// Limits the length of names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vftrace {

// Names in profiles are not longer than this; those of real functions rarely have a tenth of it.
inline constexpr std::size_t longest_name = 4096;

// A demangled name of at most longest_name bytes: in a longer one `...` replaces the contents of
// brackets, of the innermost ones first, and if that is not enough, what remains in the middle.
std::string abridged(std::string name);

}  // namespace vftrace
