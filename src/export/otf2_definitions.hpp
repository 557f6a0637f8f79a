// What an OTF2 archive says once about a run: its ranks, threads, functions and counters. For
// tools.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <otf2/otf2.h>

#include "export/timeline.hpp"

namespace vftrace {

inline constexpr std::size_t largest_metric_class = 255;

// Throws ExportError if `code` is one of an error.
void check_otf2(OTF2_ErrorCode code);

class Otf2Definitions {
  public:
    explicit Otf2Definitions(const Timeline& timeline);

    // Of MPI_COMM_WORLD. Ranks without a trace have one location without events.
    std::uint32_t processes() const { return static_cast<std::uint32_t>(first_location_.size()); }
    OTF2_LocationRef location_of(std::uint32_t rank, std::uint32_t thread) const {
        return first_location_[rank] + thread;
    }
    OTF2_RegionRef region_of(const TimelineRank& rank, std::uint32_t stack) const {
        return regions_of_[static_cast<std::size_t>(&rank - timeline_.ranks.data())][stack];
    }
    // A further location: of a stream of a GPU of a rank. After those of all threads.
    OTF2_LocationRef add_stream(std::uint32_t rank, std::uint32_t device, const std::string& name);
    // Of work of GPUs, by name.
    OTF2_RegionRef region_of_work(const std::string& name);
    // How many a location has.
    void set_events(OTF2_LocationRef location, std::uint64_t events) { events_[location] = events; }

    // After all events. `end` is the last of their times.
    void write(OTF2_Archive* archive, std::uint64_t end);

  private:
    using Region = std::tuple<std::string, CallCategory, std::string, std::uint32_t>;

    OTF2_StringRef text(const std::string& text);
    void write_system(const std::vector<const TimelineRank*>& trace_of);
    void write_streams();
    void write_regions();
    void write_communicator();
    void write_counters();

    const Timeline& timeline_;
    std::vector<OTF2_LocationRef> first_location_;  // by rank
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
    std::vector<OTF2_SystemTreeNodeRef> node_of_;  // by rank; of its host
    OTF2_GlobalDefWriter* writer_ = nullptr;       // while write() runs
};

}  // namespace vftrace
