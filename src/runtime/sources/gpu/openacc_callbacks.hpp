// OpenACC events as activations in the call tree, and the bytes that they move.
#pragma once

#include "gpu/acc_prof_abi.hpp"

namespace vftrace {

// The callback for the starts and ends of all openacc_events. May be called by any thread.
void on_openacc_event(acc::ProfInfo* prof, acc::EventInfo* event, const void* api);

}  // namespace vftrace
