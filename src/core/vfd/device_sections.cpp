#include "vfd/device_sections.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "symbol/names.hpp"
#include "vfd/device_clock.hpp"
#include "vfd/device_work_merge.hpp"

namespace vftrace {
namespace {

class DeviceSections {
  public:
    DeviceSections(VfdWriter& writer, VfdOutput& out, TraceFileReader& file,
                   const PathsOfNodes& nodes, const TraceTimes& times)
        : writer_(writer), out_(out), work_(file), nodes_(nodes), times_(times) {}

    DeviceFigures write();

  private:
    struct Site {
        std::int32_t stack, thread;
        std::uint32_t kernel;
    };

    void set_clock();
    void number_tracks();
    void number_kernels();
    void write_pieces();
    void write_tracks() const;
    void write_kernels() const;

    VfdWriter& writer_;
    VfdOutput& out_;
    DeviceWorkMerge work_;
    const PathsOfNodes& nodes_;
    const TraceTimes& times_;
    DeviceClock clock_;
    std::vector<std::uint32_t> tracks_;           // in the file's order: index in the trace
    std::vector<std::uint32_t> number_of_track_;  // by index in the trace
    std::vector<std::uint64_t> pieces_of_;        // by number in the file
    std::vector<std::string> kernels_;            // sorted
    std::vector<Site> sites_;
    DeviceFigures figures_;
};

void DeviceSections::set_clock() {
    for (const MomentRecord& moment : work_.moments()) {
        const double error = static_cast<double>(moment.error_ticks) * times_.ns_per_tick;
        constexpr double most = 1e18;
        if (moment.ticks > times_.start_ticks && error < most)
            clock_.add(moment.device_ns, times_.ns(moment.ticks), static_cast<std::int64_t>(error));
    }
}

// Numbers the tracks by device, context and stream, without those that have not done any work.
void DeviceSections::number_tracks() {
    const std::vector<TracedTrack>& traced = work_.tracks();
    for (std::uint32_t i = 0; i < traced.size(); i++)
        if (traced[i].pieces > 0)
            tracks_.push_back(i);
    const auto key = [&](std::uint32_t track) {
        const TrackRecord& record = traced[track].record;
        return std::tuple(record.device, record.context, record.stream, track);
    };
    std::sort(tracks_.begin(), tracks_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
    number_of_track_.resize(traced.size());
    for (std::uint32_t i = 0; i < tracks_.size(); i++)
        number_of_track_[tracks_[i]] = i;
    pieces_of_.resize(tracks_.size());
}

void DeviceSections::number_kernels() {
    for (const TracedSite& site : work_.sites())
        if (!site.kernel.empty())
            kernels_.push_back(site.kernel);
    std::sort(kernels_.begin(), kernels_.end());
    kernels_.erase(std::unique(kernels_.begin(), kernels_.end()), kernels_.end());
    for (const TracedSite& site : work_.sites()) {
        const std::uint32_t stack = nodes_(site.record.thread, site.record.node);
        const bool known = site.known && stack != no_index;
        const auto kernel = std::lower_bound(kernels_.begin(), kernels_.end(), site.kernel);
        sites_.push_back({known ? static_cast<std::int32_t>(stack) : -1,
                          known ? static_cast<std::int32_t>(site.record.thread) : -1,
                          site.kernel.empty()
                              ? no_index
                              : static_cast<std::uint32_t>(kernel - kernels_.begin())});
    }
}

void DeviceSections::write_pieces() {
    TracedWork work;
    std::int64_t latest = 0;
    while (work_.next(work)) {
        const Site& site = sites_[work.site];
        const std::uint32_t track = number_of_track_[work.track];
        VfdDeviceWork piece{};
        // If the device's clock was set back, the order counts.
        latest = std::max(latest, clock_.own_ns(work.start_ns));
        piece.start_ns = latest;
        piece.end_ns = std::max(latest, clock_.own_ns(work.start_ns + work.ns));
        piece.call_ns = work.call_ticks && site.stack >= 0 ? times_.ns(work.call_ticks) : -1;
        piece.bytes = work.bytes;
        piece.track = track;
        piece.stack = site.stack;
        piece.thread = site.thread;
        piece.work = work_.sites()[work.site].record.work;
        piece.kernel = site.kernel;
        out_.put(piece);
        pieces_of_[track]++;
        figures_.pieces++;
    }
}

void DeviceSections::write_tracks() const {
    out_.put(figures_.dropped);
    for (std::uint32_t i = 0; i < tracks_.size(); i++) {
        const TrackRecord& record = work_.tracks()[tracks_[i]].record;
        out_.put(VfdTrack{record.device, record.context, record.stream, pieces_of_[i]});
        out_.put_text(work_.device_name(record.device));
    }
}

void DeviceSections::write_kernels() const {
    for (const std::string& kernel : kernels_) {
        out_.put_text(kernel);
        out_.put_text(demangle(kernel));
    }
}

DeviceFigures DeviceSections::write() {
    figures_.dropped = work_.dropped();
    set_clock();
    if (!clock_.is_known())
        work_.leave_out_all();
    number_tracks();
    if (tracks_.empty() && figures_.dropped == 0)
        return figures_;
    number_kernels();
    writer_.begin_section(VfdSection::device_work);
    write_pieces();
    writer_.end_section();
    writer_.begin_section(VfdSection::tracks);
    write_tracks();
    writer_.end_section();
    writer_.begin_section(VfdSection::kernels);
    write_kernels();
    writer_.end_section();
    return figures_;
}

}  // namespace

DeviceFigures write_device_sections(VfdWriter& writer, VfdOutput& out, TraceFileReader& file,
                                    const PathsOfNodes& nodes, const TraceTimes& times) {
    return DeviceSections(writer, out, file, nodes, times).write();
}

}  // namespace vftrace
