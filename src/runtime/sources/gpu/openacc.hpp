// OpenACC constructs, and the work of its run-time library for them, as activations in the call
// tree.
#pragma once

namespace vftrace {

// Set before the first event.
struct OpenaccSettings {
    bool active = false;  // openacc.active, and profiling is not switched off
};
extern OpenaccSettings openacc_settings;

}  // namespace vftrace
