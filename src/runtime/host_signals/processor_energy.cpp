// Energy of packages, of their memory and of the board, by powercap.
#include "host_signals/processor_energy.hpp"

#include <optional>

#include "base/text.hpp"
#include "host_signals/file_sources.hpp"
#include "host_signals/power_events.hpp"
#include "host_signals/powercap.hpp"

namespace vftrace {
namespace {

// The number of the package in "package-1", in "package-1-die-0", which is a part of it, and, if
// `inner` is "dram", in "package-1/dram".
std::optional<std::uint32_t> package_of_zone(std::string_view name, std::string_view inner) {
    const std::size_t slash = name.find('/');
    if ((slash == name.npos ? "" : name.substr(slash + 1)) != inner)
        return std::nullopt;
    name = name.substr(0, slash);
    const std::size_t die = name.find("-die-");
    return number_behind(name.substr(0, die), "package-");
}

template <class PartOf>
FoundParts find_zones(const HostFiles& files, const SignalRow& row, PartOf part_of) {
    FilesOfParts<CounterFiles> found(row);
    for (const PowerZone& zone : power_zones(files.system))
        if (const std::optional<std::uint32_t> part = part_of(zone.name))
            found.add(zone.counter, *part, zone.range);
    return found.finish("neither powercap nor the kernel's PMU \"power\" has a counter for it, as "
                        "is usual in virtual machines");
}

}  // namespace

FoundParts find_processor_energy(const HostFiles& files, const SignalRow& row) {
    const bool is_memory = row.figure == SignalFigure::dram_energy;
    FoundParts zones = find_zones(files, row, [&](std::string_view name) {
        return package_of_zone(name, is_memory ? "dram" : "");
    });
    if (zones.source && zones.is_whole())
        return zones;
    FoundParts events = find_power_event(files, is_memory ? "energy-ram" : "energy-pkg", row.name);
    const bool are_zones_absent = !zones.source && zones.is_whole();
    if (events.source ? !zones.source || events.is_whole()
                      : are_zones_absent && !events.problems.empty())
        return events;
    for (SignalProblem& problem : events.problems)  // the other way, which does not work either
        zones.problems.push_back(std::move(problem));
    return zones;
}

FoundParts find_board_zone(const HostFiles& files, const SignalRow& row) {
    return find_zones(files, row, [](std::string_view name) {
        return name == "psys" ? std::optional<std::uint32_t>(0) : std::nullopt;
    });
}

}  // namespace vftrace
