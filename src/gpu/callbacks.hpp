// CUDA calls as activations in the call tree: CUPTI reports when they begin and end.
#pragma once

#include "gpu/cupti.hpp"

namespace vftrace {

// What callbacks need to have done that is not about calls.
struct CallbackActions {
    void (*driver_started)();
    void (*contexts_end)();  // with them, what CUPTI has not handed over is lost
    void (*first_call)();    // has ended: CUDA is in use
};

// Makes CUPTI report calls from now on. False if it refuses; then `why` says so.
bool start_callbacks(const cupti::Functions& functions, const CallbackActions& actions,
                     const char*& why);

}  // namespace vftrace
