// Names of functions as gcc prints them, for its option
// -finstrument-functions-exclude-function-list.
//
// gcc leaves out the hooks of a function if one of the texts in that list is part of the name that
// it would print in a message: `mesh::Field::at`, `pick<int, long int>`, `{anonymous}::step`,
// `solve` for Fortran's `solve_`; this is not the symbol, and does not have a return type or
// parameters. Tested with gcc 12.
//
// Defaulted template arguments may be printed or not, but for one type always in the same way
// within a source file: `std::vector<double>` if that is the first use, `std::vector<double,
// std::allocator<double> >` if `std::vector<T>` in a template is the first use. The symbol does not
// show which one applies, so a function may have several names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// All names that the function may have, the shortest first; for names local to a function the part
// after that function. Empty if the name cannot be derived from the symbol: if there are numbers of
// enumerations or closures among the template arguments, or no symbol.
std::vector<std::string> gcc_names(const Function& function);

// The same, from a full C++ name with parameters.
std::vector<std::string> gcc_cxx_names(std::string_view demangled);

}  // namespace vftrace
