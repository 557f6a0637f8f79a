// How long a C++ name becomes when it is demangled, found without demangling it.
//
// A mangled name refers to its own earlier parts (`S1_`), and these to still earlier ones, so that
// a few hundred characters may stand for gigabytes. Demanglers write all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace vftrace {

// An upper bound, except that the length of unusual expressions is estimated, of the demangled
// name in bytes; `unknown_size` if the name is not understood or is nested very deeply. Time is
// proportional to the length of `mangled`. Calls no other function that allocates memory than those
// of its table of parts.
inline constexpr std::uint64_t unknown_size = ~std::uint64_t{0};
std::uint64_t demangled_size(std::string_view mangled);

// The same name with `...` for types that were written out before and are longer than `longest`
// bytes; "" if it is not understood. Its length is roughly limited by that of `mangled` times
// `longest`.
std::string without_long_repetitions(std::string_view mangled, std::size_t longest);

}  // namespace vftrace
