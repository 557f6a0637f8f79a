// Figures of GPUs, from any vendor's library.
#include "base/text.hpp"
#include "host_signals/gpu_library.hpp"

namespace vftrace {
namespace {

class GpuFigures : public SignalSource {
  public:
    GpuFigures(GpuLibrary& library, const SignalRow& row) : library_(library), row_(row) {}

    // Returns 0 or the library's error.
    int add(std::uint32_t device) {
        Device added{.number = device};
        int error = library_.read(row_.figure, device, added.last);
        if (error != 0 && row_.figure == SignalFigure::gpu_energy &&
            library_.is_unsupported(error)) {
            added.is_power = true;
            const int other = library_.read(SignalFigure::gpu_power, device, added.last);
            error = other == 0 ? 0 : error;
        }
        if (error == 0)
            devices_.push_back(added);
        return error;
    }

    void read(double now_s, std::span<double> values) override {
        for (std::size_t i = 0; i < devices_.size(); i++)
            values[i] = row_.is_sum ? energy(devices_[i], now_s) : state(devices_[i]);
    }

  private:
    struct Device {
        std::uint32_t number;
        bool is_power = false;  // energy is not counted, but computed from power
        bool is_known = true;   // the last reading was good
        double last = 0;        // energy or power
        double last_s = 0;
        double sum = 0;
    };

    double state(const Device& device) {
        double now = 0;
        return library_.read(row_.figure, device.number, now) == 0 ? now : unknown_value;
    }

    double energy(Device& device, double now_s) {
        double now = 0;
        const SignalFigure figure =
            device.is_power ? SignalFigure::gpu_power : SignalFigure::gpu_energy;
        if (library_.read(figure, device.number, now) != 0) {
            device.is_known = false;
            return unknown_value;
        }
        if (!device.is_power)
            device.sum += now >= device.last ? now - device.last : now;
        else if (device.is_known)  // otherwise the power in between is unknown
            device.sum += (now_s - device.last_s) * (device.last + now) / 2;
        device.is_known = true;
        device.last = now;
        device.last_s = now_s;
        return device.sum;
    }

    GpuLibrary& library_;
    const SignalRow& row_;
    std::vector<Device> devices_;
};

}  // namespace

FoundParts find_gpu_figure(GpuLibrary& library, const SignalRow& row) {
    FoundParts found;
    auto source = std::make_unique<GpuFigures>(library, row);
    for (std::uint32_t device = 0; device < library.devices(); device++) {
        const int error = source->add(device);
        if (error == 0) {
            found.parts.push_back(device);
            continue;
        }
        found.unreadable.push_back(device);
        found.problems.push_back({format("%s: GPU %u: %s (see man vftrace-run)", row.name, device,
                                         library.error_text(error)),
                                  library.is_unsupported(error)});
    }
    if (!found.parts.empty())
        found.source = std::move(source);
    return found;
}

}  // namespace vftrace
