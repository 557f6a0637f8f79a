// Turns the GPU work of a process into figures of the profile.
#pragma once

#include <cstdint>

#include "collate/function_names.hpp"
#include "collate/node_paths.hpp"
#include "profile/profile.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// Fills the lists about GPUs and what constructs moved to them of `profile`, whose rank they are
// of, and adds notices about work that was not seen or belongs to no call. Kernels that no path is
// named after become functions. CUDA may continue to work meanwhile.
void collect_gpu_figures(Profile& profile, const ProcessRecord& process, FunctionTable& functions,
                         const NodePaths& paths);

// Whether CUDA was used, or a device by constructs.
bool uses_devices(const ProcessRecord& process);

// What callbacks and records of CUPTI, and callbacks of OpenACC, have cost; nanoseconds.
struct GpuCallbackTimes {
    std::int64_t cuda_ns = 0, openacc_ns = 0;
};
GpuCallbackTimes gpu_callback_times(const ProcessRecord& process, double ns_per_tick);

}  // namespace vftrace
