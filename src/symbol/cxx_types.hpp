// C++ types and template arguments as people write them.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

// Demangled text (a type, a name, a list of parameters) without what nobody types: blanks after
// commas and between closing brackets, inline namespaces of the standard libraries, ABI tags,
// defaulted arguments of standard templates; `std::basic_string<char>` becomes `std::string`.
std::string simplify_cxx_types(std::string_view text);

}  // namespace vftrace
