// The options watchdog.after and watchdog.signal: a job that hangs reports this itself.
//
// Each rank watches itself, on the service thread that may write files. A rank that has not made
// progress for the time of the option leaves a stamp, a file in the folder OUTPUT_BASE_watchdog
// that shows where the rank is, and removes it when it continues. So a healthy job writes nothing.
// When the first rank is stuck and all stamps exist, it writes the roll call. No MPI messages are
// sent, and the clocks of different ranks are not compared.
#pragma once

#include "config/options.hpp"

namespace vftrace {

// The program begins. MPI launchers and shells do not get a watchdog.
void start_watchdog(const Options& options, const char* program);

// The run is over, and the service threads have ended.
void end_watchdog();

}  // namespace vftrace
