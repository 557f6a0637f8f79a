// Energy counters of processors, as Linux has them in /sys/class/powercap.
#include "energy/powercap.hpp"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <tuple>
#include <unistd.h>

#include "base/text.hpp"
#include "guest/proc_status.hpp"

namespace vftrace {
namespace {

// Zones have names like intel-rapl:0, those in them like intel-rapl:0:1; AMD's too. What else is
// there, such as intel-rapl-mmio, counts the same energy again.
constexpr std::string_view prefix = "intel-rapl:";

// The first line; empty if there is none.
std::string line_of(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return "";
    char text[128];
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    return std::string(
        trim(std::string_view(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)))));
}

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
        PowerZone zone{line_of(folder + id + "/name"), folder + id + "/energy_uj", 0};
        const std::size_t colon = id.find(':', prefix.size());
        if (colon != id.npos)
            zone.name = line_of(folder + id.substr(0, colon) + "/name") + '/' + zone.name;
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
