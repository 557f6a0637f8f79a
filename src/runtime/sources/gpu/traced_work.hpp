// Work of devices in the trace, through its buffer (trace/device_buffer.hpp).
#pragma once

#include "gpu/activity_record.hpp"
#include "gpu/call_ring.hpp"
#include "record/gpu_record.hpp"
#include "trace/device_buffer.hpp"

namespace vftrace {

// These functions are to be called by one thread at a time, and only while device_work_is_traced().
//
// Writes a piece of work of `site`. `stream`: nullptr for pages that move by themselves; these have
// a track of their device. Descriptions that the trace does not have yet are written first. Without
// room, the work is dropped and counted.
void trace_work(const DeviceWork& work, const CallRing::Call& call, GpuPathWork& site,
                GpuStream* stream, GpuDevice& device);

void trace_device_name(const GpuDevice& device);

// Writes one moment by both clocks: that of the records and, with an error of `error_ticks` at
// most, in ticks.
void trace_moment(std::uint64_t device_ns, std::uint64_t ticks, std::uint64_t error_ticks);

// In a child of fork: forgets what belongs to the parent.
void forget_traced_work();

}  // namespace vftrace
