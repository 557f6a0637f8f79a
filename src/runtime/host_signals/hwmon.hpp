// Sensors in /sys/class/hwmon: temperatures of processors, meters of the whole board.
#pragma once

#include "host_signals/processors.hpp"
#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

// `row`: that of package_temperature or core_temperature.
FoundParts find_temperatures(const HostFiles& files, const SignalRow& row,
                             const Processors& processors);

// `row`: that of board_energy or board_power. Only devices that are known to be meters of the whole
// board count, because the sum of everything in hwmon would include some things twice.
FoundParts find_board_meters(const HostFiles& files, const SignalRow& row);

}  // namespace vftrace
