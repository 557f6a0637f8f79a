// Records of what devices did: buffers are lent to CUPTI and come back filled.
#pragma once

#include "gpu/call_ring.hpp"
#include "gpu/cupti.hpp"

namespace vftrace {

// Calls that records are to be matched with.
extern CallRing gpu_calls;

// To be called before there are callbacks. Returns false without memory.
bool prepare_activity(const cupti::Functions& functions, const char*& why);
// Makes CUPTI record what devices do. Returns false if it refuses; then `why` has the reason.
bool start_activity(const char*& why);
// The driver has started: managed memory can be followed from now on.
void follow_managed_memory();
// Makes CUPTI hand over what is finished (and, at the end of the run, what is not).
void flush_activity(bool at_end);
// From now on records are not needed.
void stop_activity();
// In a child of fork: forgets what belongs to the parent.
void forget_activity();

}  // namespace vftrace
