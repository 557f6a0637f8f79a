// The work of GPUs on timelines: a track for each stream. Formats require the slices of a track to
// be nested or disjoint, but work of a stream can overlap (kernels of a graph): overlapping pieces
// get further lanes of the track. For tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "export/timeline.hpp"
#include "readers/device_names.hpp"

namespace vftrace {

class DeviceLanes {
  public:
    explicit DeviceLanes(const VfdFile& file)
        : file_(file), first_of_(file.extension().tracks.size(), none) {}

    // To be called for all pieces in the order of the file. Lanes are numbered from 0 in the order
    // in which they are needed.
    std::uint32_t lane_of(const VfdDeviceWork& work);
    std::uint32_t count() const { return static_cast<std::uint32_t>(lanes_.size()); }
    std::uint32_t track(std::uint32_t lane) const { return lanes_[lane].track; }
    // "GPU 0 stream 7"; for a further lane "GPU 0 stream 7 (2)".
    std::string name(std::uint32_t lane) const;

  private:
    static constexpr std::uint32_t none = 0xffffffff;
    struct Lane {
        std::uint32_t track, number;  // `number`: among the lanes of the track, from 1
        std::int64_t busy_until_ns;
        std::uint32_t next;  // the next lane of the track
    };
    const VfdFile& file_;
    std::vector<Lane> lanes_;
    std::vector<std::uint32_t> first_of_;  // by track
};

// Calls visitor(work, lanes, lane, is_new) for each piece of a rank, in the order of start times;
// `is_new`: nothing was in its lane before.
template <class Visitor>
void visit_device_work(const VfdFile& file, Visitor visitor) {
    if (file.extension().tracks.empty())
        return;
    DeviceLanes lanes(file);
    VfdWorkStream stream = file.device_work();
    VfdDeviceWork work;
    while (stream.next(work)) {
        const std::uint32_t before = lanes.count(), lane = lanes.lane_of(work);
        visitor(work, lanes, lane, lane == before);
    }
}

// The call path that launched it, from the root: "init;main;solve;add_kernel"; empty if it is not
// known.
std::string launch_path(const TimelineRank& rank, const VfdDeviceWork& work);

}  // namespace vftrace
