// Chooses what the tables call each function: as short as tells it from the others.
#pragma once

#include <vector>

#include "profile/profile.hpp"

namespace vftrace {

// Sets Function::display of all functions, which together make up one profile.
//
// demangle_cxx: C++ functions get their short name (`std::map<int,A>::find`). Where that would be
// the name of two different functions, both get their parameters too, and the whole demangled name
// if they still look the same. Else all functions keep their raw name.
// strip_module_names: Fortran procedures lose the name of their module.
void set_display_names(std::vector<Function>& functions, bool demangle_cxx,
                       bool strip_module_names);

}  // namespace vftrace
