// The option `start = off`: nothing is recorded until another process requests it.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// The program begins: with start = off the process gets its record, recording is switched off, and
// the service thread checks ten times a second whether `vftrace start` or `vftrace stop` has made a
// request. Does nothing in a launcher.
void start_switched_off(const Options& options, const char* program);

}  // namespace vftrace
