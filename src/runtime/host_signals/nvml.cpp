// NVIDIA's management library, NVML: opened if it exists, with our own prototypes, because its
// header is not free. Its interface is stable (https://docs.nvidia.com/deploy/nvml-api).
#include <dlfcn.h>

#include "base/text.hpp"
#include "host_signals/gpu_library.hpp"

namespace vftrace {
namespace {

struct NvmlDevice;  // opaque
using Device = NvmlDevice*;
using Status = int;
constexpr Status success = 0;

struct Utilization {
    unsigned gpu, memory;  // percent
};
constexpr int clock_of_multiprocessors = 1, sensor_of_gpu = 0;

struct Functions {
    Status (*init)();
    Status (*shutdown)();
    const char* (*error_string)(Status);
    Status (*device_count)(unsigned*);
    Status (*device)(unsigned index, Device*);
    // Any of these may be missing: some are newer than others.
    Status (*energy)(Device, unsigned long long* millijoules);
    Status (*power)(Device, unsigned* milliwatts);
    Status (*clock)(Device, int type, unsigned* megahertz);
    Status (*temperature)(Device, int sensor, unsigned* degrees);
    Status (*utilization)(Device, Utilization*);
};

class Nvml : public GpuLibrary {
  public:
    // Returns why it cannot be used; empty if it can.
    std::string open() {
        void* const file = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);
        if (!file)
            return "libnvidia-ml.so.1 is not installed";
        if (!load(file, "nvmlInit_v2", call_.init) || !load(file, "nvmlShutdown", call_.shutdown) ||
            !load(file, "nvmlErrorString", call_.error_string) ||
            !load(file, "nvmlDeviceGetCount_v2", call_.device_count) ||
            !load(file, "nvmlDeviceGetHandleByIndex_v2", call_.device))
            return "libnvidia-ml.so.1 is too old";
        load(file, "nvmlDeviceGetTotalEnergyConsumption", call_.energy);
        load(file, "nvmlDeviceGetPowerUsage", call_.power);
        load(file, "nvmlDeviceGetClockInfo", call_.clock);
        load(file, "nvmlDeviceGetTemperature", call_.temperature);
        load(file, "nvmlDeviceGetUtilizationRates", call_.utilization);

        const Status status = call_.init();
        if (status != success)
            return format("nvmlInit: %s", call_.error_string(status));
        is_open_ = true;
        unsigned count = 0;
        const Status counted = call_.device_count(&count);
        if (counted != success)
            return format("nvmlDeviceGetCount: %s", call_.error_string(counted));
        handles_.resize(count);  // nullptr: the device is broken, or this user may not use it
        for (unsigned i = 0; i < count; i++)
            if (call_.device(i, &handles_[i]) != success)
                handles_[i] = nullptr;
        devices_ = count;
        return count == 0 ? "NVML does not find a GPU" : "";
    }

    // The library stays loaded, because it may have threads.
    ~Nvml() override {
        if (is_open_)
            call_.shutdown();
    }

    int read(SignalFigure figure, std::uint32_t device, double& value) override {
        constexpr Status no_permission = 4;
        constexpr double milli = 1e-3, mega = 1e6, percent = 0.01;
        const Device handle = handles_[device];
        unsigned long long total = 0;
        unsigned number = 0;
        Utilization utilization{};
        Status status = not_supported;
        if (!handle)
            return no_permission;
        switch (figure) {
        case SignalFigure::gpu_energy:
            status = call_.energy ? call_.energy(handle, &total) : not_supported;
            value = milli * static_cast<double>(total);
            break;
        case SignalFigure::gpu_power:
            status = call_.power ? call_.power(handle, &number) : not_supported;
            value = milli * number;
            break;
        case SignalFigure::gpu_frequency:
            status = call_.clock ? call_.clock(handle, clock_of_multiprocessors, &number)
                                 : not_supported;
            value = mega * number;
            break;
        case SignalFigure::gpu_temperature:
            status = call_.temperature ? call_.temperature(handle, sensor_of_gpu, &number)
                                       : not_supported;
            value = number;
            break;
        case SignalFigure::gpu_utilization:
            status = call_.utilization ? call_.utilization(handle, &utilization) : not_supported;
            value = percent * utilization.gpu;
            break;
        default:
            break;
        }
        return status;
    }

    bool is_unsupported(int error) const override { return error == not_supported; }

    const char* error_text(int error) override { return call_.error_string(error); }

  private:
    static constexpr Status not_supported = 3;

    Functions call_ = {};
    std::vector<Device> handles_;
    bool is_open_ = false;
};

}  // namespace

std::unique_ptr<GpuLibrary> open_nvml(std::string& why) {
    auto library = std::make_unique<Nvml>();
    why = library->open();
    if (!why.empty())
        return nullptr;
    return library;
}

}  // namespace vftrace
