// Energy counters of processors, as the kernel's performance events have them: the PMU `power`,
// which counts what powercap does, and may be open where that is closed.
#pragma once

#include <string>

#include "signals/signal_source.hpp"

namespace vftrace {

// An event of that PMU, as "energy-pkg", one part for each package.
FoundParts find_power_event(const HostFiles& files, const std::string& event, const char* signal);

}  // namespace vftrace
