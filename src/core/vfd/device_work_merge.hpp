// The work of all devices in a trace in the order of start times.
//
// Records are in the order in which CUPTI delivers them: those of one stream may be out of order,
// and those of one thread may be later than those of another. The records of a chunk are sorted in
// memory, and the chunks are merged. A chunk is in memory only while the merge passes the time
// between its first and last start.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "record/device_records.hpp"
#include "vfd/trace_file_reader.hpp"

namespace vftrace {

struct TracedWork {
    std::uint64_t start_ns, ns;  // CUPTI's time
    std::uint64_t call_ticks;    // begin of the call that launched it; 0 if not known
    std::uint64_t bytes;
    std::uint32_t track, site;  // indices into the merge's tables
};

// A site of the trace.
struct TracedSite {
    bool known = false;
    SiteRecord record{};
    std::string kernel;  // mangled; empty if there is none, or not known
};

struct TracedTrack {
    bool known = false;
    TrackRecord record{};
    std::uint64_t pieces = 0;
};

class DeviceWorkMerge {
  public:
    // Reads all chunks of device work once: for the tables, and to find the times from which they
    // have work.
    explicit DeviceWorkMerge(TraceFileReader& file);

    // Reads the next piece; returns false at the end. Its track and site are known.
    bool next(TracedWork& work);

    const std::vector<TracedSite>& sites() const { return sites_; }
    const std::vector<TracedTrack>& tracks() const { return tracks_; }
    const std::vector<MomentRecord>& moments() const { return moments_; }
    std::uint64_t dropped() const { return dropped_; }
    // The name of a device; empty if unknown.
    std::string device_name(std::uint32_t number) const;
    // To be called if the times in the trace cannot be converted: it is damaged.
    void leave_out_all();

  private:
    struct OpenChunk {
        std::size_t number;
        std::vector<TracedWork> pieces;
        std::size_t next = 0;
        std::uint64_t next_start() const { return pieces[next].start_ns; }
    };
    struct WaitingChunk {
        std::uint64_t first_start;
        std::size_t number;
    };
    struct DeviceName {
        std::uint32_t number;
        std::string name;
    };
    static bool is_later(const std::unique_ptr<OpenChunk>& a, const std::unique_ptr<OpenChunk>& b);
    bool is_known(const TracedWork& work) const;
    void survey(std::size_t number);
    bool describe(std::uint64_t word, std::span<const std::uint64_t> words);
    void open_chunk(std::size_t number);

    TraceFileReader& file_;
    const std::uint64_t most_numbers_;  // a small file may contain large numbers
    std::vector<TracedSite> sites_;
    std::vector<TracedTrack> tracks_;
    std::vector<MomentRecord> moments_;
    std::vector<DeviceName> device_names_;
    std::uint64_t dropped_ = 0;
    std::vector<WaitingChunk> waiting_;             // the earliest chunk last
    std::vector<std::unique_ptr<OpenChunk>> open_;  // a heap, the earliest chunk on top
    std::vector<std::uint64_t> buffer_;
};

}  // namespace vftrace
