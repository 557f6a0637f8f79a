// OpenACC: constructs, and what its run-time library does for them, as activations in the call
// tree.
#pragma once

namespace vftrace {

// What lifecycle/ decides before the first event.
struct OpenaccSettings {
    bool active = false;  // openacc.active, and profiling is not switched off
};
extern OpenaccSettings openacc_settings;

// Main is about to be called: is there OpenACC in the program, whose run-time library has not
// called acc_register_library() by itself?
void start_openacc();

}  // namespace vftrace
