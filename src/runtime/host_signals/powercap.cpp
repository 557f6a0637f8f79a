#include "host_signals/powercap.hpp"

#include <algorithm>
#include <dirent.h>
#include <tuple>

#include "guest/proc_status.hpp"
#include "host_signals/kernel_file.hpp"

namespace vftrace {
namespace {

// Zones have names like intel-rapl:0, and those inside them like intel-rapl:0:1, on AMD's
// processors too. Other entries, such as intel-rapl-mmio, count the same energy again.
constexpr std::string_view prefix = "intel-rapl:";

}  // namespace

std::vector<PowerZone> power_zones(const std::string& system_files) {
    std::vector<PowerZone> zones;
    const std::string folder = system_files + "/class/powercap/";
    DIR* entries = opendir(folder.c_str());
    if (!entries)
        return zones;
    while (const dirent* entry = readdir(entries)) {
        const std::string id = entry->d_name;
        if (!id.starts_with(prefix))
            continue;
        PowerZone zone{first_line(folder + id + "/name"), folder + id + "/energy_uj", 0};
        const std::size_t colon = id.find(':', prefix.size());
        if (colon != id.npos)
            zone.name = first_line(folder + id.substr(0, colon) + "/name") + '/' + zone.name;
        if (numbers_in_line((folder + id + "/max_energy_range_uj").c_str(), &zone.range, 1) != 1)
            zone.range = 0;
        zones.push_back(std::move(zone));
    }
    closedir(entries);
    std::sort(zones.begin(), zones.end(), [](const PowerZone& a, const PowerZone& b) {
        return std::tie(a.name, a.counter) < std::tie(b.name, b.counter);
    });
    return zones;
}

std::optional<std::uint64_t> read_counter(const PowerZone& zone) {
    std::uint64_t value = 0;
    if (numbers_in_line(zone.counter.c_str(), &value, 1) != 1)
        return std::nullopt;
    return value;
}

}  // namespace vftrace
