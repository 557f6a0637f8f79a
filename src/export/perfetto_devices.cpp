// The work of GPUs in a trace of Perfetto: a track for each stream under its process, and arrows
// from the calls that launched it.
#include <fmt/format.h>

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
        : rank_(rank), sequence_(sequence), output_(output),
          kernels_(rank.file->extension().kernels.size()), paths_(rank.file->stacks().size()) {}

    void write() {
        begin_sequence();
        visit_device_work(*rank_.file, [&](const VfdDeviceWork& work, const DeviceLanes& lanes,
                                           std::uint32_t lane, bool is_new) {
            const std::uint64_t track = track_uuid(rank_.rank, lane, device_track);
            if (is_new)
                describe_track(track, lanes.name(lane));
            write_piece(work, track);
        });
    }

  private:
    static constexpr std::uint64_t first_kernel = gpu_works + 1;

    template <class Fill>
    void write_packet_of_sequence(Fill fill) {
        std::string bytes;
        pbf_writer writer(bytes);
        writer.add_uint32(packet::sequence, sequence_);
        fill(writer);
        write_packet(output_, bytes);
    }

    void begin_sequence() {
        write_packet_of_sequence([](pbf_writer& writer) {
            writer.add_uint32(packet::sequence_flags, packet::state_cleared | packet::needs_state);
            pbf_writer data(writer, packet::interned_data);
            add_interned(data, interned::annotations, note_bytes, "bytes");
            add_interned(data, interned::annotations, note_path, "path");
        });
    }

    void describe_track(std::uint64_t uuid, const std::string& name) {
        write_packet_of_sequence([&](pbf_writer& writer) {
            pbf_writer descriptor(writer, packet::track_descriptor);
            descriptor.add_uint64(track::uuid, uuid);
            descriptor.add_uint64(track::parent, process_uuid(rank_.rank));
            descriptor.add_string(track::name, valid_text(name));
        });
    }

    // The number of a piece's name (and category), which is told when it comes for the first time.
    std::uint64_t name_of(const VfdDeviceWork& work) {
        const bool named = work.kernel != no_index;
        bool& known = named ? kernels_[work.kernel].known : works_[work.work].known;
        const std::uint64_t number = named ? first_kernel + work.kernel : 1 + work.work;
        if (!known)
            write_packet_of_sequence([&](pbf_writer& writer) {
                writer.add_uint32(packet::sequence_flags, packet::needs_state);
                pbf_writer data(writer, packet::interned_data);
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
        write_event(work.start_ns, [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::begin);
            track_event.add_uint64(event::category, name);
            track_event.add_uint64(event::name, name);
            track_event.add_uint64(event::track, track);
            if (work.call_ns >= 0 && work.thread >= 0)
                track_event.add_fixed64(
                    event::flow,
                    launch_flow(rank_.rank, static_cast<std::uint32_t>(work.thread), work.call_ns));
            if (bytes > 0) {
                pbf_writer annotation(track_event, event::annotation);
                annotation.add_uint64(1, note_bytes);
                annotation.add_uint64(3, bytes);
            }
            if (work.stack >= 0) {
                pbf_writer annotation(track_event, event::annotation);
                annotation.add_uint64(1, note_path);
                annotation.add_string(6, path_of(work));
            }
        });
        write_event(work.end_ns, [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::end);
            track_event.add_uint64(event::track, track);
        });
    }

    template <class Fill>
    void write_event(std::int64_t ns, Fill fill) {
        write_packet_of_sequence([&](pbf_writer& writer) {
            writer.add_uint64(packet::timestamp, static_cast<std::uint64_t>(rank_.clock(ns)));
            writer.add_uint32(packet::sequence_flags, packet::needs_state);
            pbf_writer track_event(writer, packet::track_event);
            fill(track_event);
        });
    }

    struct Name {
        bool known = false;
    };
    const TimelineRank& rank_;
    const std::uint32_t sequence_;
    ExportOutput& output_;
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
