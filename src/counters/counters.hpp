// Hardware counters in this process: what is read, and where.
#pragma once

#include "tree/source.hpp"

namespace vftrace {

// Starts the counters of hwprof.type and decides which nodes read: regions, functions of the first
// hwprof.levels levels, and those that hwprof.functions chooses (not in libraries that are loaded
// later: finding their names takes memory and time). Without counters in the configuration nothing
// happens. What is wrong is told in one line, and nothing is read then.
extern const Source hwprof_source;

}  // namespace vftrace
