// Energy counters of processors from the kernel's performance events: the PMU `power`, which counts
// the same as powercap, and may be readable if that is not.
#pragma once

#include <string>

#include "host_signals/signal_source.hpp"

namespace vftrace {

// An event of that PMU, such as "energy-pkg", with one part for each package.
FoundParts find_power_event(const HostFiles& files, const std::string& event, const char* signal);

}  // namespace vftrace
