#include "gpu/activity_record.hpp"

#include "gpu/cupti_abi.hpp"

namespace vftrace {
namespace {

using cupti::field;
namespace offset = cupti::offset;

GpuWork work_of_copy(std::uint8_t kind) {
    switch (kind) {
    case cupti::host_to_device:
    case cupti::host_to_array:
        return GpuWork::host_to_device;
    case cupti::device_to_host:
    case cupti::array_to_host:
        return GpuWork::device_to_host;
    case cupti::host_to_host:
        return GpuWork::host_to_host;
    case cupti::peer_to_peer:
        return GpuWork::peer_to_peer;
    default:
        return GpuWork::device_to_device;
    }
}

void decode_kernel(const void* record, DeviceWork& work) {
    work.work = GpuWork::kernel;
    work.device = field<std::uint32_t>(record, offset::kernel::device);
    work.context = field<std::uint32_t>(record, offset::kernel::context);
    work.stream = field<std::uint32_t>(record, offset::kernel::stream);
    work.correlation = field<std::uint32_t>(record, offset::kernel::correlation);
    work.kernel = field<const char*>(record, offset::kernel::name);
}

void decode_copy(const void* record, std::size_t correlation, DeviceWork& work) {
    work.bytes = field<std::uint64_t>(record, offset::copy::bytes);
    work.device = field<std::uint32_t>(record, offset::copy::device);
    work.context = field<std::uint32_t>(record, offset::copy::context);
    work.stream = field<std::uint32_t>(record, offset::copy::stream);
    work.correlation = field<std::uint32_t>(record, correlation);
}

// Counters of things other than bytes are not work.
bool decode_managed_memory(const void* record, DeviceWork& work) {
    std::size_t device = offset::managed_memory::destination;
    switch (field<std::uint32_t>(record, offset::managed_memory::counter)) {
    case cupti::bytes_to_device:
        work.work = GpuWork::migrated_to_device;
        break;
    case cupti::bytes_to_host:
        work.work = GpuWork::migrated_to_host;
        device = offset::managed_memory::source;
        break;
    case cupti::bytes_between_devices:
        work.work = GpuWork::peer_to_peer;
        break;
    default:
        return false;
    }
    work.bytes = field<std::uint64_t>(record, offset::managed_memory::value);
    work.device = field<std::uint32_t>(record, device);
    work.stream = no_stream;
    return true;
}

}  // namespace

bool decode_work(const void* record, DeviceWork& work) {
    const cupti::Activity activity = cupti::activity_of(record);
    work = {};
    switch (activity) {
    case cupti::kernel:
        decode_kernel(record, work);
        break;
    case cupti::memory_copy:
        work.work = work_of_copy(field<std::uint8_t>(record, offset::copy::kind));
        decode_copy(record, offset::copy::correlation, work);
        break;
    case cupti::peer_copy:
        work.work = GpuWork::peer_to_peer;
        decode_copy(record, offset::copy::peer_correlation, work);
        break;
    case cupti::memory_set:
        work.work = GpuWork::memset;
        decode_copy(record, offset::copy::correlation, work);
        break;
    case cupti::managed_memory:
        if (!decode_managed_memory(record, work))
            return false;
        break;
    default:
        return false;
    }
    work.start = field<std::uint64_t>(record, offset::start);
    work.end = field<std::uint64_t>(record, offset::end);
    if (work.end < work.start || work.end == 0)
        work.start = 0;
    return true;
}

bool decode_device(const void* record, DeviceDescription& device) {
    if (cupti::activity_of(record) != cupti::device)
        return false;
    device = {field<std::uint32_t>(record, offset::device::number),
              field<const char*>(record, offset::device::name)};
    return device.name;
}

}  // namespace vftrace
