// AMD's management library, ROCm SMI: opened if it exists, with our own prototypes, because its
// version on a host is not known in advance (https://rocm.docs.amd.com/projects/rocm_smi_lib).
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

#include "base/text.hpp"
#include "host_signals/gpu_library.hpp"

namespace vftrace {
namespace {

using Status = int;
constexpr Status success = 0;

// The newest first. Debian has its own numbers, which begin with 1.
constexpr const char* library_names[] = {"librocm_smi64.so.7", "librocm_smi64.so.6",
                                         "librocm_smi64.so.5", "librocm_smi64.so.1",
                                         "librocm_smi64.so"};

struct Version {
    std::uint32_t major, minor, patch;
    const char* build;
};

// Frequencies that a clock can have, and which one it has. Version 6 added a field in front.
struct FrequenciesBefore6 {
    std::uint32_t count, current;
    std::uint64_t hz[32];
};
struct Frequencies {
    bool has_deep_sleep;
    std::uint32_t count, current;
    std::uint64_t hz[33];
};
union AnyFrequencies {
    FrequenciesBefore6 before_6;
    Frequencies now;
    std::uint64_t room[64];  // in case they grow again
};

constexpr std::uint32_t first_sensor = 0;
constexpr int clock_of_system = 0;  // of the shader engines
constexpr int current_temperature = 0;
constexpr std::uint32_t temperature_at_edge = 0, temperature_of_junction = 1;

struct Functions {
    Status (*init)(std::uint64_t flags);
    Status (*shut_down)();
    Status (*status_string)(Status, const char**);
    Status (*device_count)(std::uint32_t*);
    Status (*version)(Version*);
    // Any of these may be missing: some are newer than others.
    Status (*energy)(std::uint32_t device, std::uint64_t* count, float* microjoules,
                     std::uint64_t* when);
    Status (*average_power)(std::uint32_t device, std::uint32_t sensor, std::uint64_t* microwatts);
    Status (*any_power)(std::uint32_t device, std::uint64_t* microwatts, int* kind);  // since 6
    Status (*frequencies)(std::uint32_t device, int clock, AnyFrequencies*);
    Status (*temperature)(std::uint32_t device, std::uint32_t sensor, int metric,
                          std::int64_t* millidegrees);
    Status (*busy)(std::uint32_t device, std::uint32_t* percent);
};

class RocmSmi : public GpuLibrary {
  public:
    // Returns why it cannot be used; empty if it can.
    std::string open() {
        void* file = nullptr;
        for (const char* name : library_names)
            if (!file)
                file = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (!file)
            return "librocm_smi64.so is not installed";
        if (!load(file, "rsmi_init", call_.init) ||
            !load(file, "rsmi_shut_down", call_.shut_down) ||
            !load(file, "rsmi_status_string", call_.status_string) ||
            !load(file, "rsmi_num_monitor_devices", call_.device_count) ||
            !load(file, "rsmi_version_get", call_.version))
            return "librocm_smi64.so is too old";
        load(file, "rsmi_dev_energy_count_get", call_.energy);
        load(file, "rsmi_dev_power_ave_get", call_.average_power);
        load(file, "rsmi_dev_power_get", call_.any_power);
        load(file, "rsmi_dev_gpu_clk_freq_get", call_.frequencies);
        load(file, "rsmi_dev_temp_metric_get", call_.temperature);
        load(file, "rsmi_dev_busy_percent_get", call_.busy);

        constexpr std::uint64_t no_flags = 0;
        const Status status = call_.init(no_flags);
        if (status != success)
            return format("rsmi_init: %s", error_text(status));
        is_open_ = true;
        Version version{};
        if (call_.version(&version) == success)
            major_ = version.major;
        std::uint32_t count = 0;
        const Status counted = call_.device_count(&count);
        if (counted != success)
            return format("rsmi_num_monitor_devices: %s", error_text(counted));
        devices_ = count;
        return count == 0 ? "ROCm SMI does not find a GPU" : "";
    }

    // The library stays loaded, because it may have threads.
    ~RocmSmi() override {
        if (is_open_)
            call_.shut_down();
    }

    int read(SignalFigure figure, std::uint32_t device, double& value) override {
        constexpr double micro = 1e-6, milli = 1e-3, percent = 0.01;
        std::uint64_t count = 0, when = 0;
        std::int64_t degrees = 0;
        std::uint32_t share = 0;
        float unit = 0;
        int kind = 0;
        Status status = not_supported;
        switch (figure) {
        case SignalFigure::gpu_energy:
            status = call_.energy ? call_.energy(device, &count, &unit, &when) : not_supported;
            value = micro * static_cast<double>(unit) * static_cast<double>(count);
            break;
        case SignalFigure::gpu_power:  // newer GPUs do not have an average
            if (call_.any_power)
                status = call_.any_power(device, &count, &kind);
            if (status != success && call_.average_power)
                status = call_.average_power(device, first_sensor, &count);
            value = micro * static_cast<double>(count);
            break;
        case SignalFigure::gpu_frequency:
            return frequency(device, value);
        case SignalFigure::gpu_temperature:  // data-centre GPUs do not have a sensor at the edge
            for (const std::uint32_t sensor : {temperature_at_edge, temperature_of_junction})
                if (status != success && call_.temperature)
                    status = call_.temperature(device, sensor, current_temperature, &degrees);
            value = milli * static_cast<double>(degrees);
            break;
        case SignalFigure::gpu_utilization:
            status = call_.busy ? call_.busy(device, &share) : not_supported;
            value = percent * share;
            break;
        default:
            break;
        }
        return status;
    }

    bool is_unsupported(int error) const override {
        constexpr Status not_yet_implemented = 9;
        return error == not_supported || error == not_yet_implemented;
    }

    const char* error_text(int error) override {
        const char* text = nullptr;
        return call_.status_string(error, &text) == success && text ? text : "unknown error";
    }

  private:
    static constexpr Status not_supported = 2, unexpected_data = 15;

    Status frequency(std::uint32_t device, double& hz) const {
        AnyFrequencies all;
        std::memset(&all, 0, sizeof all);
        const Status status =
            call_.frequencies ? call_.frequencies(device, clock_of_system, &all) : not_supported;
        if (status != success)
            return status;
        const bool is_old = major_ < 6;
        const std::uint32_t count = is_old ? all.before_6.count : all.now.count,
                            current = is_old ? all.before_6.current : all.now.current;
        if (current >= count || count > (is_old ? 32 : 33))
            return unexpected_data;
        hz = static_cast<double>(is_old ? all.before_6.hz[current] : all.now.hz[current]);
        return success;
    }

    Functions call_ = {};
    std::uint32_t major_ = 0;
    bool is_open_ = false;
};

}  // namespace

std::unique_ptr<GpuLibrary> open_rocm_smi(const HostFiles& files, std::string& why) {
    // Without the driver the library writes to the program's stderr.
    if (access((files.system + "/module/amdgpu").c_str(), F_OK) != 0) {
        why = "the driver amdgpu is not loaded";
        return nullptr;
    }
    auto library = std::make_unique<RocmSmi>();
    why = library->open();
    if (!why.empty())
        return nullptr;
    return library;
}

}  // namespace vftrace
