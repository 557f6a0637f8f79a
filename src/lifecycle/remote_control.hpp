// The option `start = off`: nothing is recorded until another process asks for it.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// The program begins: with start = off the process gets its record, recording is switched off, and
// the service thread looks ten times a second whether `vftrace start` or `vftrace stop` asks for
// something. A launcher is left alone.
void start_switched_off(const Options& options, const char* program);

}  // namespace vftrace
