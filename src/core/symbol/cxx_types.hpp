// C++ types and template arguments in their usual notation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vftrace {

// Which types keep the arguments that are defaults, for imitating a compiler: by number, in the
// order in which they are first encountered. The same type is always written in the same way.
// Strings and streams that have a short name are not included.
struct DefaultedTypes {
    std::uint32_t kept = 0;          // bit i: type number i keeps them
    std::vector<std::string> types;  // found so far, without them
};

// Demangled text (a type, a name, a list of parameters) without what is not usually written: blanks
// after commas and between closing brackets, inline namespaces of the standard libraries, ABI tags,
// defaulted arguments of standard templates; `std::basic_string<char>` becomes `std::string`.
std::string simplify_cxx_types(std::string_view text, DefaultedTypes* defaulted = nullptr);

}  // namespace vftrace
