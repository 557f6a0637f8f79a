// The options watchdog.after and watchdog.signal: a job that hangs says so itself.
//
// Each rank looks at itself, by the service thread that may write files. One that has made no
// progress for as long as the option says leaves a stamp, a file in the folder
// OUTPUT_BASE_watchdog, in which it says where it is, and takes it away when it goes on. So a job
// that runs writes nothing. When the first rank is stuck and all stamps are there, it writes the
// roll call of them. No message of MPI is sent, and nobody's clock is compared with another's.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// The program begins. A launcher of MPI, or a shell, has no watchdog.
void start_watchdog(const Options& options, const char* program);

// The run is over, and the service threads are.
void end_watchdog();

}  // namespace vftrace
