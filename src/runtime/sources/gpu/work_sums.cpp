#include "gpu/work_sums.hpp"

#include <algorithm>
#include <cstdio>

#include "base/arena.hpp"
#include "base/mapped_table.hpp"
#include "device_record/record_memory.hpp"
#include "gpu/busy_times.hpp"
#include "gpu/call_names.hpp"
#include "gpu/traced_work.hpp"

namespace vftrace {
namespace {

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
    return (hash ^ value) * 0xff51afd7ed558ccdu;
}
std::uint64_t hash_of(const GpuPathWork& work) {
    return mixed(mixed(mixed(0, reinterpret_cast<std::uintptr_t>(work.node) >> 6),
                       reinterpret_cast<std::uintptr_t>(work.kernel) >> 6),
                 std::uint64_t{work.device} << 8 | static_cast<std::uint8_t>(work.work));
}
std::uint64_t hash_of(const GpuStream& stream) {
    return mixed(mixed(stream.device, stream.context), stream.stream);
}
bool same(const GpuPathWork& one, const GpuPathWork& other) {
    return one.node == other.node && one.kernel == other.kernel && one.device == other.device &&
           one.work == other.work;
}
bool same(const GpuStream& one, const GpuStream& other) {
    return one.device == other.device && one.context == other.context && one.stream == other.stream;
}

// The items of a list of the record, found by their subjects.
template <class Item>
class ItemTable {
  public:
    // The item with the subject of `wanted`; a new one begins as its copy. nullptr without memory.
    Item* find_or_make(Item*& list, const Item& wanted) {
        if (const Entry* known = table_.find(wanted))
            return known->item;
        Item* made = list_.make();
        if (!made)
            return nullptr;
        *made = wanted;
        if (!table_.find_or_add({made}))
            return nullptr;
        list_.append(list, made);
        return made;
    }

  private:
    struct Entry {
        Item* item;

        using Key = Item;
        const Key& key() const { return *item; }
        Item*& mark() { return item; }
        bool is(const Key& wanted) const { return same(*item, wanted); }
        static std::uint64_t hash(const Key& wanted) { return hash_of(wanted) >> 32; }
    };
    MappedTable<Entry> table_;
    GrowingList<Item> list_;
};

ItemTable<GpuPathWork> path_work;
ItemTable<GpuStream> streams;

struct Device {
    GpuDevice* figures;
    DeviceTimeline timeline;
};
constexpr std::size_t most_devices = 64;
Device devices[most_devices];
std::size_t device_count;
GrowingList<GpuDevice> device_list;

Device* device_of(GpuRecord& record, std::uint32_t number) {
    for (std::size_t i = 0; i < device_count; i++)
        if (devices[i].figures->number == number)
            return &devices[i];
    if (device_count == most_devices)
        return nullptr;
    auto* memory = static_cast<DeviceTimeline::Interval*>(
        map_memory(2 * DeviceTimeline::capacity * sizeof(DeviceTimeline::Interval)));
    GpuDevice* figures = memory ? device_list.make() : nullptr;
    if (!figures)
        return nullptr;
    figures->number = number;
    Device& device = devices[device_count++];
    device.figures = figures;
    device.timeline.start(memory);
    device_list.append(record.devices, figures);
    return &device;
}

// For a stream or device.
template <class Figures>
void extend_span(Figures& figures, const DeviceWork& work) {
    if (figures.first_ns == 0 || work.start < figures.first_ns)
        figures.first_ns = work.start;
    figures.last_ns = std::max(figures.last_ns, work.end);
}

// Returns the sums that the work was added to; nullptr without memory.
GpuPathWork* add_to_path(GpuRecord& record, const DeviceWork& work, const CallRing::Call& call,
                         CallTime time) {
    GpuPathWork wanted{};
    wanted.node = call.node;
    wanted.kernel = work.kernel ? kept_kernel_name(work.kernel) : nullptr;
    wanted.device = work.device;
    wanted.work = work.work;
    GpuPathWork* sums = path_work.find_or_make(record.work, wanted);
    if (!sums)
        return nullptr;
    const std::uint64_t ns = work.end - work.start;
    if (sums->count == 0 || ns < sums->shortest_ns)
        sums->shortest_ns = ns;
    sums->longest_ns = std::max(sums->longest_ns, ns);
    sums->count++;
    sums->ns += ns;
    sums->bytes += work.bytes;
    if (call.node && time.known) {
        sums->timely++;
        // The clocks of host and device agree to within a few microseconds.
        sums->waited_ns += work.start > time.ns ? work.start - time.ns : 0;
    }
    return sums;
}

GpuStream* add_to_stream(GpuRecord& record, const DeviceWork& work) {
    GpuStream wanted{};
    wanted.device = work.device;
    wanted.context = work.context;
    wanted.stream = work.stream;
    GpuStream* stream = streams.find_or_make(record.streams, wanted);
    if (!stream)
        return nullptr;
    const bool is_kernel = work.work == GpuWork::kernel;
    (is_kernel ? stream->kernels : stream->copies)++;
    (is_kernel ? stream->kernel_ns : stream->copy_ns) += work.end - work.start;
    stream->bytes += work.bytes;
    extend_span(*stream, work);
    return stream;
}

}  // namespace

void add_device_work(const DeviceWork& work, const CallRing::Call& call, CallTime time,
                     bool traced) {
    GpuRecord* record = gpu_record();
    if (!record || (call.known && !call.node))
        return;
    record->records++;
    // Pages of managed memory move without a call.
    if (!call.known && work.stream != no_stream)
        record->unmatched++;
    GpuPathWork* path = add_to_path(*record, work, call, time);
    const bool has_stream = work.stream != no_stream;
    GpuStream* stream = has_stream ? add_to_stream(*record, work) : nullptr;
    Device* device = device_of(*record, work.device);
    if (device) {
        device->timeline.add(work.work == GpuWork::kernel ? BusyWith::kernel : BusyWith::copy,
                             work.start, work.end);
        extend_span(*device->figures, work);
    }
    if (!traced) [[likely]]
        return;
    if (path && device && (stream || !has_stream))
        trace_work(work, call, *path, stream, *device->figures);
    else
        count_dropped_device_work(1);
}

void add_device(const DeviceDescription& description) {
    GpuRecord* record = gpu_record();
    Device* device = record ? device_of(*record, description.number) : nullptr;
    if (!device)
        return;
    std::snprintf(device->figures->name, sizeof device->figures->name, "%s", description.name);
    if (device_work_is_traced())
        trace_device_name(*device->figures);
}

void update_devices() {
    for (std::size_t i = 0; i < device_count; i++) {
        const DeviceTimeline::Times times = devices[i].timeline.times();
        devices[i].figures->kernel_ns = times.kernel;
        devices[i].figures->copy_ns = times.copy;
        devices[i].figures->overlap_ns = times.both;
    }
}

void forget_device_work() {
    path_work = {};
    streams = {};
    device_list = {};
    device_count = 0;
    forget_traced_work();
}

}  // namespace vftrace
