// Which functions of CUDA are recorded, and how.
#pragma once

#include <cstdint>

#include "record/gpu_record.hpp"

namespace vftrace {

enum class CudaRole : std::uint8_t { record, launch, reset, ask };

struct CudaFunction {
    GpuApi api;
    std::uint16_t number;  // CUPTI's
    CudaRole role;
};

inline constexpr CudaFunction cuda_functions[] = {
#define CUDA_FUNCTION(api, number, role, name) {GpuApi::api, number, CudaRole::role},
#include "gpu/cuda_functions.inc"
#undef CUDA_FUNCTION
};

// The role of a function that has callbacks.
CudaRole cuda_role(GpuApi api, std::uint32_t number);

}  // namespace vftrace
