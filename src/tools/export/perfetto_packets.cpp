#include "export/perfetto_packets.hpp"

#include "base/utf8.hpp"

namespace vftrace {

using protozero::pbf_writer;

std::string valid_text(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const CodePoint point = first_code_point(text);
        valid += point.valid ? text.substr(0, point.bytes) : replacement_character;
        text.remove_prefix(point.bytes);
    }
    return valid;
}

std::uint64_t launch_flow(std::uint32_t rank, std::uint32_t thread, std::int64_t call_ns) {
    constexpr std::uint64_t launches = std::uint64_t{1} << 63;
    return mixed_number(launches | rank, thread, static_cast<std::uint64_t>(call_ns));
}

std::uint64_t track_uuid(std::uint32_t rank, std::uint32_t thread, std::uint64_t kind) {
    return mixed_number(rank, thread, kind);
}
std::uint64_t process_uuid(std::uint32_t rank) { return mixed_number(rank, 0, ~std::uint64_t{0}); }

void write_packet(ExportOutput& output, const std::string& bytes) {
    std::string framed;
    pbf_writer(framed).add_message(trace_packet, bytes);
    output.write(framed);
}

void add_interned(pbf_writer& data, protozero::pbf_tag_type kind, std::uint64_t number,
                  std::string_view name) {
    pbf_writer entry(data, kind);
    entry.add_uint64(1, number);
    entry.add_string(2, valid_text(name));
}

void PerfettoSequence::describe_track(std::uint64_t uuid, std::uint64_t parent,
                                      std::string_view name) {
    write([&](pbf_writer& writer) {
        pbf_writer descriptor(writer, packet::track_descriptor);
        descriptor.add_uint64(track::uuid, uuid);
        descriptor.add_uint64(track::parent, parent);
        descriptor.add_string(track::name, valid_text(name));
    });
}

void PerfettoSequence::end_slice(std::uint64_t track, std::int64_t ns) {
    write_event(ns, [&](pbf_writer& track_event) {
        track_event.add_enum(event::type, event::end);
        track_event.add_uint64(event::track, track);
    });
}

void add_number(pbf_writer& track_event, std::uint64_t annotation, std::uint64_t value) {
    pbf_writer writer(track_event, event::annotation);
    writer.add_uint64(1, annotation);
    writer.add_uint64(3, value);
}

void add_text(pbf_writer& track_event, std::uint64_t annotation, std::string_view text) {
    pbf_writer writer(track_event, event::annotation);
    writer.add_uint64(1, annotation);
    writer.add_string(6, text.data(), text.size());
}

}  // namespace vftrace
