// CUDA calls as activations in the call tree: CUPTI reports when they begin and end.
#pragma once

#include "gpu/cupti.hpp"

namespace vftrace {

// What callbacks do in addition to recording calls.
struct CallbackActions {
    void (*driver_started)();
    void (*contexts_end)();  // what CUPTI has not handed over is lost with them
    void (*first_call)();    // the first call has ended: CUDA is in use
};

// Makes CUPTI report calls from now on. Returns false if it refuses; then `why` has the reason.
bool start_callbacks(const cupti::Functions& functions, const CallbackActions& actions,
                     const char*& why);

}  // namespace vftrace
