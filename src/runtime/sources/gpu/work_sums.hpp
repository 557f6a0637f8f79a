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

// These functions are to be called by one thread at a time. They do nothing without memory.
//
// Adds work that is finished. Work of calls that are deliberately not recorded (call.known, without
// a node) is left out. `traced`: the work is also written to the trace.
void add_device_work(const DeviceWork& work, const CallRing::Call& call, CallTime time,
                     bool traced);
void add_device(const DeviceDescription& device);
// Updates the figures of devices, which are computed from the intervals that were kept.
void update_devices();
// In a child of fork: forgets what belongs to the parent.
void forget_device_work();

}  // namespace vftrace
