// Figures of the host's GPUs from a vendor's library.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <string>

#include "host_signals/signal_source.hpp"
#include "host_signals/signal_table.hpp"

namespace vftrace {

class GpuLibrary {
  public:
    GpuLibrary() = default;
    virtual ~GpuLibrary() = default;
    GpuLibrary(const GpuLibrary&) = delete;
    GpuLibrary& operator=(const GpuLibrary&) = delete;

    std::uint32_t devices() const { return devices_; }

    // The current figure of a device, in the table's unit; energy since an arbitrary time. Returns
    // 0 or the library's error. Allocates nothing.
    virtual int read(SignalFigure /*figure*/, std::uint32_t /*device*/, double& /*value*/) {
        return -1;
    }
    // Whether this error means that the device does not have that figure.
    virtual bool is_unsupported(int /*error*/) const { return true; }
    // The error in words.
    virtual const char* error_text(int /*error*/) { return ""; }

  protected:
    std::uint32_t devices_ = 0;
};

// Looks up a function of an opened library. Returns whether it exists.
template <class Function>
bool load(void* file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
}

// Finds a figure of all devices. `library` must outlive the result. If a device does not count
// energy, it is computed from the power over time.
FoundParts find_gpu_figure(GpuLibrary& library, const SignalRow& row);

// nullptr if the library is missing, or finds no device; `why` then has the reason.
std::unique_ptr<GpuLibrary> open_nvml(std::string& why);
std::unique_ptr<GpuLibrary> open_rocm_smi(const HostFiles& files, std::string& why);

}  // namespace vftrace
