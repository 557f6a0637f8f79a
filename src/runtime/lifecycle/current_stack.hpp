// Names of open calls while the program runs.
#pragma once

#include <string>
#include <vector>

#include "record/node.hpp"

namespace vftrace {

// The names on a path, the innermost first and without the root; empty if memory runs out. Reads
// symbols of functions that were not requested before, which takes some milliseconds. To be called
// in guarded code, and not in signal handlers.
std::vector<std::string> names_of_path(const Node* node);

}  // namespace vftrace
