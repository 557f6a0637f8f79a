// Perfetto's trace format: protobuf packets of TrackEvents.
// https://perfetto.dev/docs/reference/trace-packet-proto
//
// Each thread is a separate sequence of packets, with interned names and its track as the default,
// so that an event is a time and a few constant bytes, which are kept for each stack.
#include <cstring>
#include <optional>

#include "export/exporters.hpp"
#include "export/perfetto_packets.hpp"
#include "export/timeline.hpp"
#include <fmt/core.h>

namespace vftrace {
namespace {

using protozero::pbf_writer;

// Names of things other than functions have numbers above those of the stacks.
constexpr std::uint64_t other_names = std::uint64_t{1} << 32;
enum OtherName : std::uint64_t { name_send = other_names, name_receive, name_missing, name_waited };
enum Annotation : std::uint64_t {
    note_peer = 1,
    note_tag,
    note_bytes,
    note_type,
    note_ns,
    note_events,
    note_reconstructed
};
constexpr const char* annotation_names[] = {"peer", "tag",    "bytes",        "type",
                                            "ns",   "events", "reconstructed"};
constexpr std::uint64_t message_category = node_kinds + 1, gap_category = message_category + 1,
                        sample_category = gap_category + 1;

void add_annotation(pbf_writer& track_event, Annotation name, std::int64_t value) {
    pbf_writer annotation(track_event, event::annotation);
    annotation.add_uint64(1, name);
    annotation.add_int64(4, value);
}

// ---- tracks ------------------------------------------------------------------------------------

// Perfetto treats processes or threads with the same number as one, and 0 as the idle task. A main
// thread has its process's number.
std::int32_t process_number(const TimelineRank& rank) {
    return static_cast<std::int32_t>(rank.rank) + 1;
}

void describe_thread(const Timeline& timeline, const TimelineRank& rank, std::uint32_t thread,
                     ExportOutput& output) {
    auto describe = [&](auto&& fill) {
        std::string bytes;
        pbf_writer writer(bytes);
        {
            pbf_writer descriptor(writer, packet::track_descriptor);
            fill(descriptor);
        }
        write_packet(output, bytes);
    };
    const std::uint64_t uuid = track_uuid(rank.rank, thread, thread_track);
    describe([&](pbf_writer& descriptor) {
        descriptor.add_uint64(track::uuid, uuid);
        descriptor.add_uint64(track::parent, process_uuid(rank.rank));
        pbf_writer info(descriptor, track::thread);
        info.add_int32(1, process_number(rank));
        info.add_int32(2, process_number(rank) +
                              static_cast<std::int32_t>(timeline.processes * thread));
        info.add_string(5, valid_text(rank.thread_label(thread)));
    });
    const std::vector<VfdCounter>& counters = rank.file->counters();
    for (std::size_t i = 0; i < counters.size(); i++)
        describe([&](pbf_writer& descriptor) {
            descriptor.add_uint64(track::uuid, track_uuid(rank.rank, thread, counter_tracks + i));
            descriptor.add_uint64(track::parent, uuid);
            descriptor.add_string(track::name, valid_text(counters[i].name));
            pbf_writer info(descriptor, track::counter);
            info.add_string(6, valid_text(counters[i].unit));
        });
    if (rank.file->call_sample_count(thread) > 0)
        describe([&](pbf_writer& descriptor) {
            descriptor.add_uint64(track::uuid, track_uuid(rank.rank, thread, sample_track));
            descriptor.add_uint64(track::parent, uuid);
            descriptor.add_string(track::name, "samples in functions without hooks");
        });
    for (const VfdGap& gap : rank.file->extension().gaps)
        if (gap.thread == thread) {
            describe([&](pbf_writer& descriptor) {
                descriptor.add_uint64(track::uuid, track_uuid(rank.rank, thread, gap_track));
                descriptor.add_uint64(track::parent, uuid);
                descriptor.add_string(track::name, "gaps in the trace");
            });
            break;
        }
}

void describe_process(const TimelineRank& rank, ExportOutput& output) {
    std::string bytes;
    pbf_writer writer(bytes);
    {
        pbf_writer descriptor(writer, packet::track_descriptor);
        descriptor.add_uint64(track::uuid, process_uuid(rank.rank));
        descriptor.add_int32(track::order, static_cast<std::int32_t>(rank.rank));
        pbf_writer info(descriptor, track::process);
        info.add_int32(1, process_number(rank));
        if (!rank.file->extension().command_line.empty())
            info.add_string(2, valid_text(rank.file->extension().command_line));
        info.add_string(6, valid_text(rank.label));
    }
    write_packet(output, bytes);
}

// ---- events ------------------------------------------------------------------------------------

class PerfettoThread final : public ReplayVisitor {
  public:
    // `sequence`: a number, from 1, that no other thread has.
    PerfettoThread(ExportOutput& output, const TimelineRank& rank, std::uint32_t thread,
                   std::uint32_t sequence, MessageMatching& matching)
        : output_(output), rank_(rank), thread_(thread), sequence_(sequence),
          has_device_work_(!rank.file->extension().tracks.empty()), matching_(matching),
          begins_(rank.file->stacks().size()) {
        begin_sequence();
        pbf_writer writer(end_);
        add_sequence(writer);
        pbf_writer track_event(writer, packet::track_event);
        track_event.add_enum(event::type, event::end);
    }

    void open(std::uint32_t stack, std::int64_t ns) override {
        std::string& begin = begins_[stack];
        if (begin.empty())
            announce(stack, begin);
        if (has_device_work_ && rank_.category_of(stack) == NodeKind::gpu)
            write_event(rank_.clock(ns), [&](pbf_writer& track_event) {
                describe_call(stack, track_event);
                track_event.add_fixed64(event::flow, launch_flow(rank_.rank, thread_, ns));
            });
        else
            put(begin, rank_.clock(ns));
    }

    void close(const ReplayedCall& call) override {
        if (call.recorded)
            return put(end_, rank_.clock(call.ns));
        write_event(rank_.clock(call.ns), [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::end);
            add_text(track_event, note_reconstructed, text_on_reconstructed(call));
        });
    }

    void counters(std::int64_t ns, std::span<const std::int64_t> readings) override {
        for (std::size_t i = 0; i < readings.size(); i++)
            write_event(rank_.clock(ns), [&](pbf_writer& track_event) {
                track_event.add_enum(event::type, event::counter);
                track_event.add_uint64(event::track,
                                       track_uuid(rank_.rank, thread_, counter_tracks + i));
                track_event.add_int64(event::counter_value, readings[i]);
            });
    }

    void message(const VfdMessageSample& message) override {
        if (rank_.class_of(message) == MessageClass::never_received)
            return;
        const bool receives = message.receives != 0;
        const std::int64_t start = rank_.clock(message.start_ns), end = rank_.clock(message.end_ns);
        const std::uint64_t flow = matching_.match(rank_, message);
        write_event(receives ? end : start, [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::instant);
            track_event.add_uint64(event::category, message_category);
            track_event.add_uint64(event::name, receives ? name_receive : name_send);
            track_event.add_uint64(
                event::track,
                track_uuid(rank_.rank, static_cast<std::uint32_t>(message.thread), thread_track));
            if (flow != 0)
                track_event.add_fixed64(receives ? event::last_flow : event::flow, flow);
            add_annotation(track_event, note_peer, message.peer);
            add_annotation(track_event, note_tag, message.tag);
            add_annotation(track_event, note_bytes, message_bytes(message));
            add_annotation(track_event, note_ns, end - start);
            pbf_writer annotation(track_event, event::annotation);
            annotation.add_uint64(1, note_type);
            annotation.add_string(6, std::string(vfd_datatype_name(message.datatype)));
        });
    }

    void gap(const VfdGap& gap) {
        const std::uint64_t uuid = track_uuid(rank_.rank, thread_, gap_track);
        write_event(rank_.clock(gap.start_ns), [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::begin);
            track_event.add_uint64(event::category, gap_category);
            track_event.add_uint64(event::name, gap.waited ? name_waited : name_missing);
            track_event.add_uint64(event::track, uuid);
            add_annotation(track_event, note_events, static_cast<std::int64_t>(gap.events));
        });
        write_event(rank_.clock(gap.end_ns), [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::end);
            track_event.add_uint64(event::track, uuid);
        });
    }

    // A sample in a function without hooks, the begin and end of which are unknown.
    void call_sample(const VfdCallSample& sample) {
        std::string& begin = begins_[sample.stack];
        if (begin.empty())
            announce(sample.stack, begin);
        write_event(rank_.clock(sample.ns), [&](pbf_writer& track_event) {
            track_event.add_enum(event::type, event::instant);
            track_event.add_uint64(event::category, sample_category);
            track_event.add_uint64(event::name, std::uint64_t{sample.stack} + 1);
            track_event.add_uint64(event::track, track_uuid(rank_.rank, thread_, sample_track));
        });
    }

  private:
    void add_sequence(pbf_writer& writer) const {
        writer.add_uint32(packet::sequence, sequence_);
        writer.add_uint32(packet::sequence_flags, packet::needs_state);
    }

    // The first packet of a sequence, with the names of things other than functions.
    void begin_sequence() {
        std::string bytes;
        pbf_writer writer(bytes);
        writer.add_uint32(packet::sequence, sequence_);
        writer.add_uint32(packet::sequence_flags, packet::state_cleared | packet::needs_state);
        {
            pbf_writer defaults(writer, packet::defaults);
            pbf_writer of_events(defaults, 11);
            of_events.add_uint64(event::track, track_uuid(rank_.rank, thread_, thread_track));
        }
        {
            pbf_writer data(writer, packet::interned_data);
            for (std::size_t i = 0; i < node_kinds; i++)
                add_interned(data, interned::categories, i + 1, node_kind_rows[i].word);
            add_interned(data, interned::categories, message_category, "message");
            add_interned(data, interned::categories, gap_category, "gap");
            add_interned(data, interned::categories, sample_category, "sample");
            add_interned(data, interned::names, name_send, "send");
            add_interned(data, interned::names, name_receive, "receive");
            add_interned(data, interned::names, name_missing, "events are missing");
            add_interned(data, interned::names, name_waited, "waited for the trace");
            for (std::size_t i = 0; i < std::size(annotation_names); i++)
                add_interned(data, interned::annotations, i + 1, annotation_names[i]);
        }
        write_packet(output_, bytes);
    }

    // Writes the name of a stack's function and makes the constant bytes of the begin of its calls.
    void announce(std::uint32_t stack, std::string& begin) {
        const Function* function = rank_.function_of(stack);
        std::string bytes;
        pbf_writer announcement(bytes);
        add_sequence(announcement);
        {
            pbf_writer data(announcement, packet::interned_data);
            add_interned(data, interned::names, std::uint64_t{stack} + 1, rank_.name_of(stack));
            if (has_place(function)) {
                pbf_writer place(data, interned::source_locations);
                place.add_uint64(1, std::uint64_t{stack} + 1);
                place.add_string(2, valid_text(function->file));
                place.add_uint32(4, function->line);
            }
        }
        write_packet(output_, bytes);

        pbf_writer writer(begin);
        add_sequence(writer);
        pbf_writer track_event(writer, packet::track_event);
        describe_call(stack, track_event);
    }

    static bool has_place(const Function* function) { return function && !function->file.empty(); }

    // The begin of a call whose name is announced.
    void describe_call(std::uint32_t stack, pbf_writer& track_event) const {
        track_event.add_enum(event::type, event::begin);
        track_event.add_uint64(event::category,
                               static_cast<std::uint64_t>(rank_.category_of(stack)) + 1);
        track_event.add_uint64(event::name, std::uint64_t{stack} + 1);
        if (has_place(rank_.function_of(stack)))
            track_event.add_uint64(event::source_location, std::uint64_t{stack} + 1);
    }

    // Writes a packet of a time and prepared bytes, of which there are fewer than a hundred.
    void put(const std::string& bytes, std::int64_t ns) {
        char time[16];
        char* time_end = time;
        *time_end++ = static_cast<char>(packet::timestamp << 3);
        time_end += protozero::write_varint(time_end, static_cast<std::uint64_t>(ns));
        const auto time_bytes = static_cast<std::size_t>(time_end - time);
        char* out = output_.room(32 + bytes.size());
        *out++ = static_cast<char>(trace_packet << 3 | 2);
        out += protozero::write_varint(out, time_bytes + bytes.size());
        std::memcpy(out, time, time_bytes);
        std::memcpy(out + time_bytes, bytes.data(), bytes.size());
        output_.end_of_room(out + time_bytes + bytes.size());
    }

    template <class Fill>
    void write_event(std::int64_t ns, Fill fill) {
        std::string bytes;
        pbf_writer writer(bytes);
        writer.add_uint64(packet::timestamp, static_cast<std::uint64_t>(ns));
        add_sequence(writer);
        {
            pbf_writer track_event(writer, packet::track_event);
            fill(track_event);
        }
        write_packet(output_, bytes);
    }

    ExportOutput& output_;
    const TimelineRank& rank_;
    const std::uint32_t thread_, sequence_;
    const bool has_device_work_;
    MessageMatching& matching_;
    std::vector<std::string> begins_;  // by stack; made when needed
    std::string end_;
};

}  // namespace

void export_perfetto(const ExportSource& source, ExportOutput& output) {
    const Timeline timeline = make_timeline(source, output);
    MessageMatching matching(timeline);
    for (const TimelineRank& rank : timeline.ranks) {
        describe_process(rank, output);
        for (std::uint32_t thread = 0; thread < rank.file->threads().size(); thread++)
            describe_thread(timeline, rank, thread, output);
    }
    std::optional<PerfettoThread> visitor;
    std::uint32_t sequence = 0;
    replay_timeline(
        timeline, output,
        [&](const TimelineRank& rank, std::uint32_t thread) -> ReplayVisitor& {
            visitor.emplace(output, rank, thread, ++sequence, matching);
            for (const VfdGap& gap : rank.file->extension().gaps)
                if (gap.thread == thread)
                    visitor->gap(gap);
            if (rank.file->call_sample_count(thread) > 0) {
                VfdCallSampleStream stream = rank.file->call_samples(thread);
                for (VfdCallSample sample; stream.next(sample);)
                    visitor->call_sample(sample);
            }
            return *visitor;
        },
        [](const ReplayFigures&) {});
    for (const TimelineRank& rank : timeline.ranks)
        write_perfetto_device_work(rank, ++sequence, output);
    for (const TimelineRank& rank : timeline.ranks)
        write_perfetto_tasks(rank, ++sequence, output);
}

}  // namespace vftrace
