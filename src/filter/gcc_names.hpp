// Names of functions as gcc prints them, for its option
// -finstrument-functions-exclude-function-list.
//
// gcc leaves a function without hooks if one of the texts in that list is part of the name that it
// would print in a message: `mesh::Field::at`, `pick<int, long int>`, `{anonymous}::step`, `solve`
// for Fortran's `solve_`; not the symbol, no return type and no parameters. Tried with gcc 12.
#pragma once

#include <string>
#include <string_view>

#include "profile/profile.hpp"

namespace vftrace {

// The name; of what is local to a function the part behind that one. "" if it cannot be known from
// the symbol: numbers of enumerations and closures among template arguments, no symbol.
std::string gcc_name(const Function& function);

// The same, from a whole C++ name with parameters.
std::string gcc_cxx_name(std::string_view demangled);

}  // namespace vftrace
