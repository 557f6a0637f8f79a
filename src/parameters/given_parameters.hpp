// The option `parameters`: values given by the user instead of the program.
#pragma once

#include <string>

#include "base/function_ref.hpp"

namespace vftrace {

// Hands out those that have a value, in the order of the text; for others reports why, and also if
// `take` says that there is no room for one. Allocates.
void for_each_given_parameter(const std::string& text,
                              FunctionRef<bool(const char* name, double value)> take);

}  // namespace vftrace
