// Sums of what devices did: by path, stream and device, in the GpuRecord.
#pragma once

#include "gpu/activity_record.hpp"
#include "gpu/call_ring.hpp"

namespace vftrace {

// When a call began, by the clock of the records; `known` is false if that cannot be determined.
struct CallTime {
    bool known;
    std::uint64_t ns;
};

// All of these one thread at a time. Without memory nothing happens.
//
// Adds work that is finished. Work of calls that are not recorded on purpose (call.known, without a
// node) is left out. `traced`: it goes to the trace, too.
void add_device_work(const DeviceWork& work, const CallRing::Call& call, CallTime time,
                     bool traced);
void add_device(const DeviceDescription& device);
// Brings the figures of devices up to date: they need what was kept of intervals.
void update_devices();
// In a child of fork: what there is belongs to the parent.
void forget_device_work();

}  // namespace vftrace
