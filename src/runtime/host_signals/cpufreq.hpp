// Frequencies of cores: the current ones, and the nominal one.
#pragma once

#include "host_signals/processors.hpp"
#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

// One part for each core, read from its first processor: processors of the same core share its
// frequency.
FoundParts find_core_frequencies(const HostFiles& files, const SignalRow& row,
                                 const Processors& processors);

// The nominal frequency in Hz; 0: not known.
double sticker_frequency(const HostFiles& files);

}  // namespace vftrace
