#include "readers/device_names.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "record/gpu_work.hpp"

namespace vftrace {
namespace {

// Indexed by GpuWork.
constexpr struct {
    std::string_view name, category;
} works[] = {{"unknown kernel", "kernel"},
             {"copy host to device", "copy"},
             {"copy device to host", "copy"},
             {"copy device to device", "copy"},
             {"copy peer to peer", "copy"},
             {"copy host to host", "copy"},
             {"migrate to device", "migration"},
             {"migrate to host", "migration"},
             {"memset", "memset"}};
static_assert(std::size(works) == gpu_works);

}  // namespace

std::string track_name(const VfdFile& file, std::uint32_t track) {
    const std::vector<VfdTrackInfo>& tracks = file.extension().tracks;
    const VfdTrackInfo& wanted = tracks[track];
    if (wanted.stream == vfd_no_stream)
        return fmt::format("GPU {} managed memory", wanted.device);
    const bool several = std::any_of(tracks.begin(), tracks.end(), [&](const VfdTrackInfo& other) {
        return other.device == wanted.device && other.stream != vfd_no_stream &&
               other.context != wanted.context;
    });
    return several ? fmt::format("GPU {} context {} stream {}", wanted.device, wanted.context,
                                 wanted.stream)
                   : fmt::format("GPU {} stream {}", wanted.device, wanted.stream);
}

std::string_view work_name(const VfdFile& file, const VfdDeviceWork& work) {
    if (work.kernel == no_index)
        return works[work.work].name;
    const Function& kernel = file.extension().kernels[work.kernel];
    return kernel.display.empty() ? kernel.name : kernel.display;
}

std::string_view work_category(const VfdDeviceWork& work) { return works[work.work].category; }

}  // namespace vftrace
