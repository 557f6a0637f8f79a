#include "export/device_lanes.hpp"

#include <fmt/core.h>

namespace vftrace {

std::uint32_t DeviceLanes::lane_of(const VfdDeviceWork& work) {
    std::uint32_t number = 1;
    std::uint32_t* link = &first_of_[work.track];
    for (; *link != none; link = &lanes_[*link].next, number++)
        if (lanes_[*link].busy_until_ns <= work.start_ns) {
            lanes_[*link].busy_until_ns = work.end_ns;
            return *link;
        }
    const std::uint32_t made = count();
    *link = made;
    lanes_.push_back({work.track, number, work.end_ns, none});
    return made;
}

std::string DeviceLanes::name(std::uint32_t lane) const {
    const std::string name = track_name(file_, lanes_[lane].track);
    return lanes_[lane].number == 1 ? name : fmt::format("{} ({})", name, lanes_[lane].number);
}

std::string launch_path(const TimelineRank& rank, const VfdDeviceWork& work) {
    if (work.stack < 0)
        return {};
    const std::vector<VfdStack>& stacks = rank.file->stacks();
    std::vector<std::uint32_t> steps;
    for (auto step = static_cast<std::uint32_t>(work.stack); step != no_index;
         step = stacks[step].parent)
        steps.push_back(step);
    std::string path;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        path += (path.empty() ? "" : ";") + rank.name_of(*step);
    return path;
}

}  // namespace vftrace
