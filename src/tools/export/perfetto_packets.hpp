// The packets that a trace of Perfetto consists of: numbers of fields, tracks and names. For tools.
// https://perfetto.dev/docs/reference/trace-packet-proto
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

#include "export/timeline.hpp"

namespace vftrace {

// Numbers of the fields of Perfetto's messages.
constexpr protozero::pbf_tag_type trace_packet = 1;
namespace packet {
enum : protozero::pbf_tag_type {
    timestamp = 8,
    sequence = 10,
    track_event = 11,
    interned_data = 12,
    sequence_flags = 13,
    defaults = 59,
    track_descriptor = 60
};
constexpr std::uint32_t state_cleared = 1, needs_state = 2;
}  // namespace packet
namespace track {
enum : protozero::pbf_tag_type {
    uuid = 1,
    name = 2,
    process = 3,
    thread = 4,
    parent = 5,
    counter = 8,
    order = 12
};
}
namespace event {
enum : protozero::pbf_tag_type {
    category = 3,
    annotation = 4,
    type = 9,
    name = 10,
    track = 11,
    counter_value = 30,
    source_location = 34,
    flow = 47,
    last_flow = 48
};
enum Type : std::int32_t { begin = 1, end = 2, instant = 3, counter = 4 };
}  // namespace event
namespace interned {
enum : protozero::pbf_tag_type { categories = 1, names = 2, annotations = 3, source_locations = 4 };
}

// Perfetto refuses text that is not UTF-8.
std::string valid_text(std::string_view text);

// Each counter of a thread has a kind from counter_tracks on. For lanes, the lane's number is used
// instead of the thread's.
enum TrackKind : std::uint64_t {
    thread_track,
    gap_track,
    device_track,
    sample_track,
    counter_tracks,
    task_track = std::uint64_t{1} << 32,
    task_group
};

std::uint64_t track_uuid(std::uint32_t rank, std::uint32_t thread, std::uint64_t kind);
std::uint64_t process_uuid(std::uint32_t rank);

// The identifier that connects a CUDA call with the work that it launched: both contain the start
// time of the call.
std::uint64_t launch_flow(std::uint32_t rank, std::uint32_t thread, std::int64_t call_ns);

void write_packet(ExportOutput& output, const std::string& bytes);
void add_interned(protozero::pbf_writer& data, protozero::pbf_tag_type kind, std::uint64_t number,
                  std::string_view name);

// The packets of one sequence of a rank. `number`: a number that no other packets have.
class PerfettoSequence {
  public:
    PerfettoSequence(const TimelineRank& rank, std::uint32_t number, ExportOutput& output)
        : rank_(rank), number_(number), output_(output) {}

    // Writes the first packet: fill(interned_data).
    template <class Fill>
    void begin(Fill fill) {
        write_names(packet::state_cleared | packet::needs_state, fill);
    }
    // Writes names that are valid from now on: fill(interned_data).
    template <class Fill>
    void announce(Fill fill) {
        write_names(packet::needs_state, fill);
    }

    void describe_track(std::uint64_t uuid, std::uint64_t parent, std::string_view name);

    // Writes an event: fill(track_event).
    template <class Fill>
    void write_event(std::int64_t ns, Fill fill) {
        write([&](protozero::pbf_writer& writer) {
            writer.add_uint64(packet::timestamp, static_cast<std::uint64_t>(rank_.clock(ns)));
            writer.add_uint32(packet::sequence_flags, packet::needs_state);
            protozero::pbf_writer track_event(writer, packet::track_event);
            fill(track_event);
        });
    }
    void end_slice(std::uint64_t track, std::int64_t ns);

  private:
    template <class Fill>
    void write(Fill fill) {
        std::string bytes;
        protozero::pbf_writer writer(bytes);
        writer.add_uint32(packet::sequence, number_);
        fill(writer);
        write_packet(output_, bytes);
    }
    template <class Fill>
    void write_names(std::uint32_t flags, Fill fill) {
        write([&](protozero::pbf_writer& writer) {
            writer.add_uint32(packet::sequence_flags, flags);
            protozero::pbf_writer data(writer, packet::interned_data);
            fill(data);
        });
    }

    const TimelineRank& rank_;
    const std::uint32_t number_;
    ExportOutput& output_;
};

void add_number(protozero::pbf_writer& track_event, std::uint64_t annotation, std::uint64_t value);
void add_text(protozero::pbf_writer& track_event, std::uint64_t annotation, std::string_view text);

// The work of a rank's GPUs, and its tracks. `sequence`: a number that no other packets have.
void write_perfetto_device_work(const TimelineRank& rank, std::uint32_t sequence,
                                ExportOutput& output);
// The asynchronous tasks of a rank, likewise.
void write_perfetto_tasks(const TimelineRank& rank, std::uint32_t sequence, ExportOutput& output);

}  // namespace vftrace
