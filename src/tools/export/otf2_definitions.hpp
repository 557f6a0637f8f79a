// The definitions of an OTF2 archive: ranks, threads, functions and counters. For tools.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <otf2/otf2.h>

#include "export/timeline.hpp"

namespace vftrace {

inline constexpr std::size_t largest_metric_class = 255;

// Throws ExportError if `code` is an error.
void check_otf2(OTF2_ErrorCode code);

class Otf2Definitions {
  public:
    // `peers`: ranks that occur in messages. Those without a trace have one location; ranks without
    // any data do not have one.
    Otf2Definitions(const Timeline& timeline, const std::set<std::uint32_t>& peers);

    // The number of a rank among those with locations, which is also its number in the
    // communicator.
    std::optional<std::uint32_t> process_of(std::int32_t rank) const;
    OTF2_LocationRef location_of(const TimelineRank& rank, std::uint32_t thread) const {
        return first_location_[*process_of(static_cast<std::int32_t>(rank.rank))] + thread;
    }
    OTF2_RegionRef region_of(const TimelineRank& rank, std::uint32_t stack) const {
        return regions_of_[static_cast<std::size_t>(&rank - timeline_.ranks.data())][stack];
    }
    std::vector<OTF2_LocationRef> locations_without_trace() const;
    // Adds a location for a stream of a rank's GPU, after those of all threads.
    OTF2_LocationRef add_stream(std::uint32_t rank, std::uint32_t device, const std::string& name);
    // The region of a kind of GPU work, by its name.
    OTF2_RegionRef region_of_work(const std::string& name);
    // Sets the number of events of a location.
    void set_events(OTF2_LocationRef location, std::uint64_t events) { events_[location] = events; }

    // To be called if there are one-sided operations: they refer to one window, of all processes.
    void add_window() { has_window_ = true; }

    // To be called after all events. `end` is the latest of their times.
    void write(OTF2_Archive* archive, std::uint64_t end);

  private:
    using Region = std::tuple<std::string, NodeKind, std::string, std::uint32_t>;

    OTF2_StringRef text(const std::string& text);
    std::uint32_t processes() const { return static_cast<std::uint32_t>(ranks_.size()); }
    void write_system();
    void write_streams();
    void write_regions();
    void write_communicator();
    void write_counters();

    const Timeline& timeline_;
    std::vector<std::uint32_t> ranks_;              // those with locations, in ascending order
    std::vector<const TimelineRank*> traces_;       // of these; nullptr if there is none
    std::vector<OTF2_LocationRef> first_location_;  // of these
    std::vector<std::uint64_t> events_;             // by location
    struct Stream {
        OTF2_LocationRef location;
        std::uint32_t rank, device;
        std::string name;
    };
    std::vector<Stream> streams_;
    std::map<Region, OTF2_RegionRef> regions_;             // name, kind, source file, line
    std::vector<std::vector<OTF2_RegionRef>> regions_of_;  // by rank of the timeline and stack
    std::map<std::string, OTF2_StringRef> texts_;
    std::vector<OTF2_SystemTreeNodeRef> node_of_;  // by number of the process: the node of its host
    bool has_window_ = false;
    OTF2_GlobalDefWriter* writer_ = nullptr;  // while write() runs
};

}  // namespace vftrace
