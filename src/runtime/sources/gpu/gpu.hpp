// GPUs of a run: CUPTI is opened when CUDA is used, and its records are fetched before the end.
#pragma once

namespace vftrace {

// Set before the first event.
struct GpuSettings {
    bool active = false;       // cuda.active, and profiling is not switched off
    const char* library = "";  // of CUPTI; empty: it is searched for
};
extern GpuSettings gpu_settings;

}  // namespace vftrace
