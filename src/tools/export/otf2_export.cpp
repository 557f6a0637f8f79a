// An archive of the Open Trace Format 2: a location group per rank, a location per thread.
// https://perftools.pages.jsc.fz-juelich.de/cicd/otf2/tags/latest/html/
//
// OTF2 requires the events of a location in the order of time, so messages, which are recorded at
// their start, wait in a queue until they end.
#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <tuple>

#include <fmt/core.h>
#include <otf2/otf2.h>

#include "base/utf8.hpp"
#include "export/device_lanes.hpp"
#include "export/exporters.hpp"
#include "export/otf2_definitions.hpp"
#include "export/timeline.hpp"

namespace vftrace {
namespace {

// An event of a location that is not a call.
struct OtherEvent {
    enum Kind {
        send,
        receive,
        one_sided_begin,
        one_sided_end,
        events_end,
        events_begin,
        waited
    } kind;
    std::int64_t ns;        // in the file's time
    std::int64_t until_ns;  // of `waited`
    VfdMessageSample message;
    std::uint64_t operation = 0;  // number of a one-sided operation
    bool operator>(const OtherEvent& other) const {
        return std::tie(ns, kind) > std::tie(other.ns, other.kind);
    }
};

class Otf2Thread final : public ReplayVisitor {
  public:
    Otf2Thread(OTF2_EvtWriter* writer, const TimelineRank& rank, std::uint32_t thread,
               const Otf2Definitions& definitions, bool has_messages)
        : writer_(writer), rank_(rank), thread_(thread), definitions_(definitions) {
        for (const VfdGap& gap : rank.file->extension().gaps) {
            if (gap.thread != thread)
                continue;
            if (gap.waited) {
                others_.push({OtherEvent::waited, gap.start_ns, gap.end_ns, {}});
            } else {
                others_.push({OtherEvent::events_end, gap.start_ns, 0, {}});
                others_.push({OtherEvent::events_begin, gap.end_ns, 0, {}});
            }
        }
        if (has_messages) {
            messages_.emplace(rank.file->samples());
            next_message();
        }
    }

    void open(std::uint32_t stack, std::int64_t ns) override {
        write_others_until(ns);
        check_otf2(
            OTF2_EvtWriter_Enter(writer_, nullptr, time(ns), definitions_.region_of(rank_, stack)));
    }
    void close(const ReplayedCall& call) override {
        write_others_until(call.ns);
        check_otf2(OTF2_EvtWriter_Leave(writer_, nullptr, time(call.ns),
                                        definitions_.region_of(rank_, call.stack)));
    }
    void counters(std::int64_t ns, std::span<const std::int64_t> readings) override {
        const std::size_t count = std::min(readings.size(), largest_metric_class);
        types_.assign(count, OTF2_TYPE_INT64);
        values_.resize(count);
        for (std::size_t i = 0; i < count; i++)
            values_[i].signed_int = readings[i];
        check_otf2(OTF2_EvtWriter_Metric(writer_, nullptr, time(ns), 0,
                                         static_cast<std::uint8_t>(count), types_.data(),
                                         values_.data()));
    }

    // To be called when everything has been reported.
    void finish() { write_others_until(std::numeric_limits<std::int64_t>::max()); }

    std::uint64_t last_time() const { return last_time_; }
    std::uint64_t unknown_peers() const { return unknown_peers_; }
    bool has_one_sided() const { return one_sided_ > 0; }

  private:
    std::uint64_t time(std::int64_t ns) {
        last_time_ = std::max(last_time_, static_cast<std::uint64_t>(rank_.clock(ns)));
        return last_time_;
    }

    // Reads the next message of this thread into `message_`.
    void next_message() {
        while (messages_->next(message_))
            if (message_.kind == VfdSampleKind::message &&
                static_cast<std::uint32_t>(message_.message.thread) == thread_)
                return;
        messages_.reset();
    }

    void write_others_until(std::int64_t ns) {
        while (messages_ && message_.message.start_ns <= ns) {
            queue(message_.message);
            next_message();
        }
        for (; !others_.empty() && others_.top().ns <= ns; others_.pop())
            write(others_.top());
    }

    void queue(const VfdMessageSample& message) {
        switch (rank_.class_of(message)) {
        case MessageClass::never_received:
            return;
        case MessageClass::one_sided:
            if (!definitions_.process_of(message.peer)) {
                unknown_peers_++;
                return;
            }
            others_.push({OtherEvent::one_sided_begin, message.start_ns, 0, message, ++one_sided_});
            others_.push({OtherEvent::one_sided_end, message.end_ns, 0, message, one_sided_});
            return;
        case MessageClass::point_to_point:
        case MessageClass::collective:
            if (message.receives)
                others_.push({OtherEvent::receive, message.end_ns, 0, message});
            else
                others_.push({OtherEvent::send, message.start_ns, 0, message});
        }
    }

    void write(const OtherEvent& other) {
        const VfdMessageSample& message = other.message;
        const std::optional<std::uint32_t> peer = definitions_.process_of(message.peer);
        const auto tag = static_cast<std::uint32_t>(message.tag);
        const auto bytes = static_cast<std::uint64_t>(message_bytes(message));
        switch (other.kind) {
        case OtherEvent::send:
        case OtherEvent::receive: {
            if (!peer) {
                unknown_peers_++;
                return;
            }
            auto* write_message =
                other.kind == OtherEvent::send ? OTF2_EvtWriter_MpiSend : OTF2_EvtWriter_MpiRecv;
            check_otf2(write_message(writer_, nullptr, time(other.ns), *peer, 0, tag, bytes));
            return;
        }
        case OtherEvent::one_sided_begin: {
            auto* write_operation =
                message.receives ? OTF2_EvtWriter_RmaGet : OTF2_EvtWriter_RmaPut;
            check_otf2(write_operation(writer_, nullptr, time(other.ns), 0, *peer, bytes,
                                       other.operation));
            return;
        }
        case OtherEvent::one_sided_end:
            check_otf2(OTF2_EvtWriter_RmaOpCompleteBlocking(writer_, nullptr, time(other.ns), 0,
                                                            other.operation));
            return;
        case OtherEvent::events_end:
        case OtherEvent::events_begin:
            check_otf2(OTF2_EvtWriter_MeasurementOnOff(
                writer_, nullptr, time(other.ns),
                other.kind == OtherEvent::events_end ? OTF2_MEASUREMENT_OFF : OTF2_MEASUREMENT_ON));
            return;
        case OtherEvent::waited:
            check_otf2(OTF2_EvtWriter_BufferFlush(
                writer_, nullptr, time(other.ns),
                static_cast<std::uint64_t>(rank_.clock(other.until_ns))));
        }
    }

    OTF2_EvtWriter* writer_;
    const TimelineRank& rank_;
    const std::uint32_t thread_;
    const Otf2Definitions& definitions_;
    std::optional<VfdSampleStream> messages_;
    VfdSample message_;
    std::priority_queue<OtherEvent, std::vector<OtherEvent>, std::greater<>> others_;
    std::vector<OTF2_Type> types_;
    std::vector<OTF2_MetricValue> values_;
    std::uint64_t last_time_ = 0, unknown_peers_ = 0, one_sided_ = 0;
};

OTF2_FlushType always_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

// Suppresses OTF2's own messages, because check_otf2() reports errors.
OTF2_ErrorCode say_nothing(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode error,
                           const char*, va_list) {
    return error;
}

struct CloseArchive {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};

struct MessagesThereAre {
    std::vector<std::vector<bool>> threads;  // by rank and thread: whether it has messages
    std::set<std::uint32_t> peers;           // ranks
};

MessagesThereAre messages_there_are(const Timeline& timeline) {
    MessagesThereAre result;
    VfdSample sample;
    for (const TimelineRank& rank : timeline.ranks) {
        std::vector<bool>& has_messages = result.threads.emplace_back(rank.file->threads().size());
        if (rank.file->header().numbers.message_samples == 0)
            continue;
        VfdSampleStream samples = rank.file->samples();
        while (samples.next(sample)) {
            if (sample.kind != VfdSampleKind::message)
                continue;
            has_messages[static_cast<std::size_t>(sample.message.thread)] = true;
            const std::int32_t peer = sample.message.peer;
            if (peer >= 0 && static_cast<std::uint32_t>(peer) < timeline.processes)
                result.peers.insert(static_cast<std::uint32_t>(peer));
        }
    }
    return result;
}

// Readers look for the events of each location: a rank without a trace gets an event that marks it
// as not measured.
void write_no_measurement(OTF2_Archive* archive, OTF2_LocationRef location,
                          Otf2Definitions& definitions) {
    OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive, location);
    if (!writer)
        throw ExportError("OTF2 cannot write the events of a rank");
    check_otf2(OTF2_EvtWriter_MeasurementOnOff(writer, nullptr, 0, OTF2_MEASUREMENT_OFF));
    definitions.set_events(location, 1);
    check_otf2(OTF2_Archive_CloseEvtWriter(archive, writer));
}

// The work of a rank's GPUs: a location for each lane, because calls on a location must be nested.
std::uint64_t write_device_work(const TimelineRank& rank, OTF2_Archive* archive,
                                Otf2Definitions& definitions) {
    struct Location {
        OTF2_LocationRef number;
        OTF2_EvtWriter* writer;
    };
    std::vector<Location> locations;  // by lane
    std::uint64_t last_time = 0;
    visit_device_work(*rank.file, [&](const VfdDeviceWork& work, const DeviceLanes& lanes,
                                      std::uint32_t lane, bool is_new) {
        if (is_new) {
            const std::uint32_t device = rank.file->extension().tracks[work.track].device;
            const OTF2_LocationRef number =
                definitions.add_stream(rank.rank, device, lanes.name(lane));
            OTF2_EvtWriter* made = OTF2_Archive_GetEvtWriter(archive, number);
            if (!made)
                throw ExportError("OTF2 cannot write the events of a stream");
            locations.push_back({number, made});
        }
        OTF2_EvtWriter* writer = locations[lane].writer;
        const OTF2_RegionRef region =
            definitions.region_of_work(std::string(work_name(*rank.file, work)));
        const auto end = static_cast<std::uint64_t>(rank.clock(work.end_ns));
        check_otf2(OTF2_EvtWriter_Enter(
            writer, nullptr, static_cast<std::uint64_t>(rank.clock(work.start_ns)), region));
        check_otf2(OTF2_EvtWriter_Leave(writer, nullptr, end, region));
        last_time = std::max(last_time, end);
    });
    for (const Location& location : locations) {
        std::uint64_t events = 0;
        check_otf2(OTF2_EvtWriter_GetNumberOfEvents(location.writer, &events));
        definitions.set_events(location.number, events);
        check_otf2(OTF2_Archive_CloseEvtWriter(archive, location.writer));
    }
    return last_time;
}

}  // namespace

void export_otf2(const ExportSource& source, ExportOutput& output) {
    const Timeline timeline = make_timeline(source, output);
    remark_on_call_samples(timeline, output);
    const MessagesThereAre messages = messages_there_are(timeline);
    Otf2Definitions definitions(timeline, messages.peers);
    OTF2_Error_RegisterCallback(say_nothing, nullptr);
    std::unique_ptr<OTF2_Archive, CloseArchive> archive(OTF2_Archive_Open(
        output.folder().c_str(), "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (!archive)
        throw ExportError(fmt::format("{}: OTF2 cannot create an archive there", output.name()));
    static const OTF2_FlushCallbacks flush{always_flush, nullptr};
    check_otf2(OTF2_Archive_SetFlushCallbacks(archive.get(), &flush, nullptr));
    check_otf2(OTF2_Archive_SetSerialCollectiveCallbacks(archive.get()));
    check_otf2(OTF2_Archive_SetCreator(archive.get(), "vftrace"));
    check_otf2(OTF2_Archive_OpenEvtFiles(archive.get()));

    std::optional<Otf2Thread> visitor;
    OTF2_EvtWriter* writer = nullptr;
    OTF2_LocationRef location = 0;
    std::uint64_t last_time = 0, unknown_peers = 0;
    replay_timeline(
        timeline, output,
        [&](const TimelineRank& rank, std::uint32_t thread) -> ReplayVisitor& {
            const auto index = static_cast<std::size_t>(&rank - timeline.ranks.data());
            location = definitions.location_of(rank, thread);
            writer = OTF2_Archive_GetEvtWriter(archive.get(), location);
            if (!writer)
                throw ExportError("OTF2 cannot write the events of a thread");
            return visitor.emplace(writer, rank, thread, definitions,
                                   messages.threads[index][thread]);
        },
        [&](const ReplayFigures&) {
            visitor->finish();
            last_time = std::max(last_time, visitor->last_time());
            unknown_peers += visitor->unknown_peers();
            if (visitor->has_one_sided())
                definitions.add_window();
            std::uint64_t events = 0;
            check_otf2(OTF2_EvtWriter_GetNumberOfEvents(writer, &events));
            definitions.set_events(location, events);
            check_otf2(OTF2_Archive_CloseEvtWriter(archive.get(), writer));
        });
    for (const OTF2_LocationRef untraced : definitions.locations_without_trace())
        write_no_measurement(archive.get(), untraced, definitions);
    for (const TimelineRank& rank : timeline.ranks)
        last_time = std::max(last_time, write_device_work(rank, archive.get(), definitions));
    check_otf2(OTF2_Archive_CloseEvtFiles(archive.get()));
    if (unknown_peers > 0)
        output.remark(fmt::format("{} messages with processes outside MPI_COMM_WORLD are left out",
                                  unknown_peers));
    definitions.write(archive.get(), last_time);
    check_otf2(OTF2_Archive_Close(archive.release()));
}

}  // namespace vftrace
