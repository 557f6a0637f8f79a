// The option `parameters`: values given by the user instead of the program.
#pragma once

#include <string>

#include "base/function_ref.hpp"

namespace vftrace {

// Passes those that have a value to `take`, in the order of the text. Reports why others do not
// have one, and also if `take` returns that there is no room for one. Allocates.
void for_each_given_parameter(const std::string& text,
                              FunctionRef<bool(const char* name, double value)> take);

}  // namespace vftrace
