// Names of functions as gcc prints them, for its option
// -finstrument-functions-exclude-function-list.
//
// gcc leaves out the hooks of a function if one of the texts in that list is part of the name that
// it would print in a message: `mesh::Field::at`, `pick<int, long int>`, `{anonymous}::step`,
// `solve` for Fortran's `solve_`; this is not the symbol, and does not have a return type or
// parameters. Tested with gcc 12.
//
// Defaulted template arguments are printed or not, a type always in the same way in one source
// file: `std::vector<double>` if that is the first use, `std::vector<double, std::allocator<double>
// >` if `std::vector<T>` in a template is the first use. No symbol shows which one applies, so a
// function may have several names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// All that it may be, the shortest first; for names local to a function the part after it.
// None if it cannot be known from the symbol: numbers of enumerations and closures among template
// arguments, no symbol.
std::vector<std::string> gcc_names(const Function& function);

// The same, from a whole C++ name with parameters.
std::vector<std::string> gcc_cxx_names(std::string_view demangled);

}  // namespace vftrace
