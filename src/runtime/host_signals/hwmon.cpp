// Sensors in /sys/class/hwmon (https://docs.kernel.org/hwmon/sysfs-interface.html).
#include "host_signals/hwmon.hpp"

#include <algorithm>
#include <optional>
#include <unistd.h>

#include "base/text.hpp"
#include "host_signals/file_sources.hpp"

namespace vftrace {
namespace {

struct Device {
    std::string folder;  // with a slash
    std::string name;    // of the driver
    std::string bus_id;  // "coretemp.1", "0000:00:18.3"
};

std::vector<Device> devices(const HostFiles& files) {
    std::vector<Device> found;
    const std::string folder = files.system + "/class/hwmon/";
    for (const std::string& entry : names_in_folder(folder, "hwmon")) {
        Device device{folder + entry + '/', first_line(folder + entry + "/name"), ""};
        char target[512];
        const ssize_t length = readlink((device.folder + "device").c_str(), target, sizeof target);
        if (length > 0)
            device.bus_id = base_name(std::string_view(target, static_cast<std::size_t>(length)));
        found.push_back(std::move(device));
    }
    // By address, because hwmon's numbers change each time the machine starts.
    std::sort(found.begin(), found.end(), [](const Device& a, const Device& b) {
        if (a.bus_id.size() != b.bus_id.size())
            return a.bus_id.size() < b.bus_id.size();
        return a.bus_id != b.bus_id ? a.bus_id < b.bus_id : a.folder < b.folder;
    });
    return found;
}

// The inputs of a kind: "temp" gives "temp1", "temp2".
std::vector<std::string> inputs(const Device& device, std::string_view kind,
                                std::string_view ending = "_input") {
    std::vector<std::string> found;
    for (const std::string& name : names_in_folder(device.folder, kind))
        if (name.ends_with(ending) &&
            number_behind(name.substr(0, name.size() - ending.size()), kind))
            found.push_back(name.substr(0, name.size() - ending.size()));
    return found;
}

using Sensors = FilesOfParts<StateFiles>;

// Intel: one device per package, with "Package id 1" and "Core 3" in it.
void add_coretemp(Sensors& sensors, const Device& device, bool of_cores,
                  const Processors& processors) {
    const std::vector<std::string> names = inputs(device, "temp");
    std::optional<std::uint32_t> package;
    for (const std::string& name : names)
        if (!package)
            package = number_behind(first_line(device.folder + name + "_label"), "Package id ");
    if (!package)  // before 2010 packages did not have their own sensor
        package = number_behind(device.bus_id, "coretemp.");
    for (const std::string& name : names) {
        const std::string label = first_line(device.folder + name + "_label");
        const auto core = number_behind(label, "Core ");
        const Processors::Core* const known =
            core ? processors.core_with_id(package.value_or(0), *core) : nullptr;
        if (of_cores && known)
            sensors.add(device.folder + name + "_input",
                        static_cast<std::uint32_t>(known - processors.cores().data()));
        else if (!of_cores && number_behind(label, "Package id "))
            sensors.add(device.folder + name + "_input", *package);
    }
}

// AMD: one device per node of the processor, and the same number of nodes in each package. Tctl is
// the temperature by which the processor is regulated.
void add_k10temp(Sensors& sensors, const std::vector<Device>& found, const Processors& processors) {
    const auto is_k10temp = [](const Device& device) { return device.name == "k10temp"; };
    const auto nodes =
        static_cast<std::size_t>(std::count_if(found.begin(), found.end(), is_k10temp));
    const std::vector<std::uint32_t>& packages = processors.packages();
    std::size_t node = 0;
    for (const Device& device : found) {
        if (!is_k10temp(device))
            continue;
        const std::size_t package = std::min(node++ * packages.size() / nodes, packages.size() - 1);
        for (const std::string& name : inputs(device, "temp"))
            if (first_line(device.folder + name + "_label") == "Tctl")
                sensors.add(device.folder + name + "_input", packages[package]);
    }
}

// The file of a device's meter; older kernels have those of power_meter in the subfolder "device".
std::string meter(const Device& device, const std::string& file) {
    return access((device.folder + file).c_str(), F_OK) == 0 ? device.folder + file
                                                             : device.folder + "device/" + file;
}

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The meters of ACPI. A single one measures the whole machine. If there are several, as on NVIDIA's
// Grace, they name what they measure, and only "Module Power" covers everything in a socket.
std::vector<std::string> acpi_meters(const std::vector<Device>& found) {
    std::vector<std::string> meters, of_modules;
    for (const Device& device : found) {
        if (device.name != "power_meter")
            continue;
        std::string path = meter(device, "power1_average");
        if (!exists(path))
            path = meter(device, "power1_input");
        if (!exists(path))
            continue;
        if (first_line(meter(device, "power1_oem_info")).starts_with("Module Power"))
            of_modules.push_back(path);
        meters.push_back(std::move(path));
    }
    return meters.size() > 1 ? of_modules : meters;
}

// What OpenPOWER's firmware measures for the whole machine: "System".
std::vector<std::string> openpower_meters(const std::vector<Device>& found, std::string_view kind) {
    std::vector<std::string> meters;
    for (const Device& device : found)
        if (device.name == "ibmpowernv")
            for (const std::string& name : inputs(device, kind))
                if (first_line(device.folder + name + "_label") == "System")
                    meters.push_back(device.folder + name + "_input");
    return meters;
}

}  // namespace

FoundParts find_temperatures(const HostFiles& files, const SignalRow& row,
                             const Processors& processors) {
    Sensors sensors(row);
    const std::vector<Device> found = devices(files);
    const bool of_cores = row.figure == SignalFigure::core_temperature;
    for (const Device& device : found)
        if (device.name == "coretemp")
            add_coretemp(sensors, device, of_cores, processors);
    if (!of_cores)
        add_k10temp(sensors, found, processors);
    return sensors.finish(of_cores ? "hwmon does not have a sensor \"Core\" of coretemp"
                                   : "hwmon has neither coretemp nor k10temp");
}

FoundParts find_board_meters(const HostFiles& files, const SignalRow& row) {
    const std::vector<Device> found = devices(files);
    if (row.figure == SignalFigure::board_power) {
        Sensors sensors(row);
        std::vector<std::string> meters = acpi_meters(found);
        if (meters.empty())
            meters = openpower_meters(found, "power");
        for (const std::string& path : meters)
            sensors.add(path, 0);
        return sensors.finish("hwmon does not have a known meter of the whole board: power_meter "
                              "of ACPI, ibmpowernv");
    }
    FilesOfParts<CounterFiles> counters(row);
    constexpr std::uint64_t never_wraps = 0;
    for (const std::string& path : openpower_meters(found, "energy"))
        counters.add(path, 0, never_wraps);
    return counters.finish(
        "powercap does not have a zone psys, nor hwmon a known counter of the whole board");
}

}  // namespace vftrace
