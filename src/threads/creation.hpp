// Threads that the program makes: where they start, and what it calls them.
#pragma once

#include "tree/source.hpp"

namespace vftrace {

extern const Source threads_source;

}  // namespace vftrace
