#include "gpu/traced_work.hpp"

#include <algorithm>
#include <cstring>

#include "record/device_records.hpp"
#include "record/trace_file.hpp"

namespace vftrace {
namespace {

// How many have been described; numbers in the trace begin at 0, those in the GpuRecord at 1.
std::uint32_t sites, tracks;
constexpr std::uint32_t most_tracks = (1u << device_detail_bits) - 1;

template <class Record>
bool put(DeviceRecordKind kind, std::uint32_t number, const Record& record,
         const char* text = nullptr, std::size_t text_bytes = 0) {
    static_assert(sizeof record % sizeof(std::uint64_t) == 0);
    const std::size_t fixed = sizeof record / sizeof(std::uint64_t);
    const std::size_t follow = fixed + (text_bytes + 7) / 8;
    std::uint64_t* words = reserve_device_words(1 + follow);
    if (!words)
        return false;
    words[0] = device_word(kind, static_cast<std::uint32_t>(follow), number);
    words[follow] = 0;  // what the text does not fill
    std::memcpy(words + 1, &record, sizeof record);
    if (text_bytes > 0)
        std::memcpy(words + 1 + fixed, text, text_bytes);
    publish_device_words(1 + follow);
    return true;
}

bool describe(GpuPathWork& site) {
    constexpr std::size_t longest_text = 4096;
    SiteRecord record{no_target, 0, static_cast<std::uint32_t>(site.work), 0};
    if (site.node) {
        const Node* root = site.node;
        while (root->parent)
            root = root->parent;
        record.thread = static_cast<std::uint32_t>(root->body_offset);
        record.node = site.node->number;
    }
    if (site.kernel)
        record.text_bytes =
            static_cast<std::uint32_t>(std::min(std::strlen(site.kernel), longest_text));
    if (!put(DeviceRecordKind::site, sites, record, site.kernel, record.text_bytes))
        return false;
    site.number_in_trace = ++sites;
    return true;
}

bool describe(std::uint32_t& number_in_trace, const TrackRecord& record) {
    if (tracks == most_tracks || !put(DeviceRecordKind::track, tracks, record))
        return false;
    number_in_trace = ++tracks;
    return true;
}

// The number of its track in the trace; 0: it could not be described.
std::uint32_t track_of(GpuStream* stream, GpuDevice& device) {
    if (stream) {
        if (!stream->number_in_trace)
            describe(stream->number_in_trace, {stream->device, stream->context, stream->stream, 0});
        return stream->number_in_trace;
    }
    if (!device.number_in_trace)
        describe(device.number_in_trace, {device.number, 0, no_stream, 0});
    return device.number_in_trace;
}

}  // namespace

void trace_work(const DeviceWork& work, const CallRing::Call& call, GpuPathWork& site,
                GpuStream* stream, GpuDevice& device) {
    const std::uint32_t track = track_of(stream, device);
    if (!track || (!site.number_in_trace && !describe(site)))
        return count_dropped_device_work(1);
    const bool sized = work.bytes > 0;
    std::uint64_t* words = reserve_device_words(sized ? 5 : 4);
    if (!words)
        return count_dropped_device_work(1);
    words[0] = device_word(sized ? DeviceRecordKind::sized_work : DeviceRecordKind::work, track - 1,
                           site.number_in_trace - 1);
    words[1] = work.start;
    words[2] = work.end - work.start;
    words[3] = call.node ? call.ticks : 0;
    if (sized)
        words[4] = work.bytes;
    publish_device_words(sized ? 5 : 4);
}

void trace_device_name(const GpuDevice& device) {
    const std::uint64_t bytes = strnlen(device.name, sizeof device.name);
    put(DeviceRecordKind::device, device.number, bytes, device.name, bytes);
}

void trace_moment(std::uint64_t device_ns, std::uint64_t ticks, std::uint64_t error_ticks) {
    put(DeviceRecordKind::moment, 0, MomentRecord{device_ns, ticks, error_ticks});
}

void forget_traced_work() { sites = tracks = 0; }

}  // namespace vftrace
