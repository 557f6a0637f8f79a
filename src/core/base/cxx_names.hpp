// How C++ functions are named in tables (the option demangle_cxx).
#pragma once

#include <string_view>

namespace vftrace {

// false, true and "full" in a configuration.
enum class CxxNames : unsigned char {
    raw,    // as in the symbol table
    plain,  // readable, cut where template arguments begin, as Vftrace 2.0 shows them
    full    // readable, with template arguments, and with parameters where names would be the same
};
inline constexpr std::string_view full_cxx_names = "full";

}  // namespace vftrace
