// Names of open calls while the program runs.
#pragma once

#include <string>
#include <vector>

#include "record/node.hpp"

namespace vftrace {

// Of a path, the innermost first and without the root; empty if memory runs out. Reads symbols of
// what was not asked for before: some milliseconds. In guarded code, and not in signal handlers.
std::vector<std::string> names_of_path(const Node* node);

}  // namespace vftrace
