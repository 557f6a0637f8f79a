// The names of calls: one GpuCallName for each CUDA function and, for functions that launch, each
// kernel.
#pragma once

#include "record/gpu_record.hpp"

namespace vftrace {

// Where the names of functions come from: "cudaMemcpyAsync_ptsz_v7000", or nullptr.
using GpuFunctionNames = const char* (*)(GpuApi api, std::uint32_t callback);
void start_gpu_names(GpuFunctionNames names);

// The name for such calls. `kernel` is a text that may disappear later, or nullptr. Returns nullptr
// without memory. Known names take no lock.
GpuCallName* gpu_call_name(GpuApi api, std::uint32_t callback, const char* kernel);

// A permanent copy of a kernel's name, the same for the same text; nullptr without memory.
const char* kept_kernel_name(const char* name);

// In a child of fork: forgets what belongs to the parent.
void forget_gpu_names();

}  // namespace vftrace
