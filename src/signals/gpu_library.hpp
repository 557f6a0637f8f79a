// Figures of the host's GPUs from a vendor's library.
#pragma once

#include <cstdint>
#include <dlfcn.h>
#include <memory>
#include <string>

#include "signals/signal_source.hpp"
#include "signals/signal_table.hpp"

namespace vftrace {

class GpuLibrary {
  public:
    GpuLibrary() = default;
    virtual ~GpuLibrary() = default;
    GpuLibrary(const GpuLibrary&) = delete;
    GpuLibrary& operator=(const GpuLibrary&) = delete;

    std::uint32_t devices() const { return devices_; }

    // A figure of a device as it is now, in the table's unit; energy since whenever. Returns 0 or
    // the library's error. Allocates nothing.
    virtual int read(SignalFigure /*figure*/, std::uint32_t /*device*/, double& /*value*/) {
        return -1;
    }
    // Whether this error means that the device does not have that figure.
    virtual bool is_unsupported(int /*error*/) const { return true; }
    // In words.
    virtual const char* error_text(int /*error*/) { return ""; }

  protected:
    std::uint32_t devices_ = 0;
};

// Looks a function of an opened library up. Returns whether it is there.
template <class Function>
bool load(void* file, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
}

// A figure of all devices. `library` must live as long as what is found. Energy that a device does
// not count is its power over time.
FoundParts find_gpu_figure(GpuLibrary& library, const SignalRow& row);

// nullptr if the library is not there, or has no device; `why` says it then.
std::unique_ptr<GpuLibrary> open_nvml(std::string& why);
std::unique_ptr<GpuLibrary> open_rocm_smi(const HostFiles& files, std::string& why);

}  // namespace vftrace
