// GPUs of a run: CUPTI is opened when CUDA comes into play, and what it knows is fetched before the
// end.
#pragma once

namespace vftrace {

// What lifecycle/ decides before the first event.
struct GpuSettings {
    bool active = false;       // cuda.active, and profiling is not switched off
    const char* library = "";  // of CUPTI; empty: it is searched for
};
extern GpuSettings gpu_settings;

// Main is about to be called: is there CUDA in the program? If it comes later, the driver calls
// InitializeInjection, when CUDA_INJECTION64_PATH names this library.
void start_gpu();

// The run is about to end: fetches what devices have done. Waits for CUPTI, not for devices.
void finish_gpu();

// In a child of fork, before its first event: what there is belongs to the parent.
void forget_gpu();

}  // namespace vftrace
