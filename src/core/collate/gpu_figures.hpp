// Turns the GPU work of a process into figures of the profile.
#pragma once

#include <cstdint>

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Fills the lists of `profile` about GPUs and about what constructs moved to them, for the
// profile's rank, and adds notices about work that was not seen or does not belong to any call.
// Kernels that no path is named after become functions. CUDA may continue to work meanwhile.
void collect_gpu_figures(Profile& profile, const ProcessRecord& process, FunctionTable& functions,
                         const NodePaths& paths);

// Whether CUDA was used, or constructs used a device.
bool uses_devices(const ProcessRecord& process);

// What callbacks and records of CUPTI, and callbacks of OpenACC, have cost; nanoseconds.
struct GpuCallbackTimes {
    std::int64_t cuda_ns = 0, openacc_ns = 0;
};
GpuCallbackTimes gpu_callback_times(const ProcessRecord& process, double ns_per_tick);

}  // namespace vftrace
