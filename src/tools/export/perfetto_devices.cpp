// The work of GPUs in a trace of Perfetto: a track for each stream under its process, and arrows
// from the calls that launched it.
#include <fmt/core.h>

#include "export/device_lanes.hpp"
#include "export/perfetto_packets.hpp"
#include "record/gpu_work.hpp"

namespace vftrace {
namespace {

using protozero::pbf_writer;

enum Annotation : std::uint64_t { note_bytes = 1, note_path };

class PerfettoDevices {
  public:
    PerfettoDevices(const TimelineRank& rank, std::uint32_t sequence, ExportOutput& output)
        : rank_(rank), sequence_(rank, sequence, output),
          kernels_(rank.file->extension().kernels.size()), paths_(rank.file->stacks().size()) {}

    void write() {
        sequence_.begin([](pbf_writer& data) {
            add_interned(data, interned::annotations, note_bytes, "bytes");
            add_interned(data, interned::annotations, note_path, "path");
        });
        visit_device_work(*rank_.file, [&](const VfdDeviceWork& work, const DeviceLanes& lanes,
                                           std::uint32_t lane, bool is_new) {
            const std::uint64_t track = track_uuid(rank_.rank, lane, device_track);
            if (is_new)
                sequence_.describe_track(track, process_uuid(rank_.rank), lanes.name(lane));
            write_piece(work, track);
        });
    }

  private:
    static constexpr std::uint64_t first_kernel = gpu_works + 1;

    // The number of a piece's name (and category), which is written when it first occurs.
    std::uint64_t name_of(const VfdDeviceWork& work) {
        const bool named = work.kernel != no_index;
        bool& known = named ? kernels_[work.kernel].known : works_[work.work].known;
        const std::uint64_t number = named ? first_kernel + work.kernel : 1 + work.work;
        if (!known)
            sequence_.announce([&](pbf_writer& data) {
                add_interned(data, interned::names, number, work_name(*rank_.file, work));
                add_interned(data, interned::categories, number,
                             fmt::format("gpu {}", work_category(work)));
            });
        known = true;
        return number;
    }

    const std::string& path_of(const VfdDeviceWork& work) {
        std::string& path = paths_[static_cast<std::size_t>(work.stack)];
        if (path.empty())
            path = valid_text(launch_path(rank_, work));
        return path;
    }

    void write_piece(const VfdDeviceWork& work, std::uint64_t track) {
        const std::uint64_t name = name_of(work), bytes = work.bytes;
        sequence_.write_event(work.start_ns, [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::begin);
            track_event.add_uint64(event::category, name);
            track_event.add_uint64(event::name, name);
            track_event.add_uint64(event::track, track);
            if (work.call_ns >= 0 && work.thread >= 0)
                track_event.add_fixed64(
                    event::flow,
                    launch_flow(rank_.rank, static_cast<std::uint32_t>(work.thread), work.call_ns));
            if (bytes > 0)
                add_number(track_event, note_bytes, bytes);
            if (work.stack >= 0)
                add_text(track_event, note_path, path_of(work));
        });
        sequence_.end_slice(track, work.end_ns);
    }

    struct Name {
        bool known = false;
    };
    const TimelineRank& rank_;
    PerfettoSequence sequence_;
    Name works_[gpu_works];
    std::vector<Name> kernels_;
    std::vector<std::string> paths_;  // by stack; made when needed
};

}  // namespace

void write_perfetto_device_work(const TimelineRank& rank, std::uint32_t sequence,
                                ExportOutput& output) {
    if (!rank.file->extension().tracks.empty())
        PerfettoDevices(rank, sequence, output).write();
}

}  // namespace vftrace
