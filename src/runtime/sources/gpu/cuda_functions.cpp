#include "gpu/cuda_functions.hpp"

#include <array>

namespace vftrace {
namespace {

// One more than the largest number in the table, of both APIs.
constexpr std::uint32_t numbers = [] {
    std::uint32_t last = 0;
    for (const CudaFunction& function : cuda_functions)
        if (function.number > last)
            last = function.number;
    return last + 1;
}();

constexpr auto roles = [] {
    std::array<std::array<CudaRole, numbers>, 3> roles{};
    for (const CudaFunction& function : cuda_functions)
        roles[static_cast<std::size_t>(function.api)][function.number] = function.role;
    return roles;
}();

}  // namespace

CudaRole cuda_role(GpuApi api, std::uint32_t number) {
    return number < numbers ? roles[static_cast<std::size_t>(api)][number] : CudaRole::record;
}

}  // namespace vftrace
