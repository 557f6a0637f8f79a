// Energy of packages and of their memory: from powercap or, if that is absent or unreadable, from
// the kernel's performance events, which count the same.
#pragma once

#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

// `row`: that of package_energy or dram_energy.
FoundParts find_processor_energy(const HostFiles& files, const SignalRow& row);

// The counter of the whole board, psys, which few machines have.
FoundParts find_board_zone(const HostFiles& files, const SignalRow& row);

}  // namespace vftrace
