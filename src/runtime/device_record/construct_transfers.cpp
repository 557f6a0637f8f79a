#include "device_record/construct_transfers.hpp"

#include "device_record/name_table.hpp"
#include "device_record/record_memory.hpp"
#include "guest/bounded_lock.hpp"

namespace vftrace {
namespace {

BoundedLock lock;  // for adding
NameTable sums;    // by device and node
GrowingList<ConstructTransfers> work_list;
GrowingList<ConstructDevice> device_list;

ConstructTransfers* find_work(const Node* node, std::int32_t device) {
    return static_cast<ConstructTransfers*>(sums.find(
        static_cast<std::uint32_t>(device), reinterpret_cast<std::uintptr_t>(node), nullptr));
}

// To be called with the lock held.
ConstructTransfers* make_work(GpuRecord& record, const Node* node, std::int32_t device) {
    ConstructTransfers* made = work_list.make();
    if (!made)
        return nullptr;
    made->node = node;
    made->device = device;
    work_list.append(record.transfers, made);
    sums.add(static_cast<std::uint32_t>(device), reinterpret_cast<std::uintptr_t>(node), nullptr,
             made);
    return made;
}

bool is_known(const GpuRecord& record, ProgrammingModel model, std::int32_t number, bool is_host) {
    for (const ConstructDevice* device =
             __atomic_load_n(&record.construct_devices, __ATOMIC_ACQUIRE);
         device; device = __atomic_load_n(&device->next_created, __ATOMIC_ACQUIRE))
        if (device->model == model && device->number == number && (device->is_host != 0) == is_host)
            return true;
    return false;
}

}  // namespace

void add_transfer(const Node* node, std::int32_t device, ConstructBytes which,
                  std::uint64_t bytes) {
    GpuRecord* record = node ? gpu_record() : nullptr;
    if (!record)
        return;
    ConstructTransfers* work = find_work(node, device);
    if (!work && lock.lock()) [[unlikely]] {
        work = find_work(node, device);
        if (!work)
            work = make_work(*record, node, device);
        lock.unlock();
    }
    if (!work)
        return;
    __atomic_fetch_add(&work->count[static_cast<std::size_t>(which)], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&work->bytes[static_cast<std::size_t>(which)], bytes, __ATOMIC_RELAXED);
}

void add_construct_device(ProgrammingModel model, std::int32_t number, bool is_host) {
    GpuRecord* record = gpu_record();
    if (!record || is_known(*record, model, number, is_host) || !lock.lock())
        return;
    ConstructDevice* made =
        is_known(*record, model, number, is_host) ? nullptr : device_list.make();
    if (made) {
        made->model = model;
        made->is_host = is_host;
        made->number = number;
        device_list.append(record->construct_devices, made);
    }
    lock.unlock();
}

void forget_construct_transfers() {
    lock = {};
    sums = {};
    work_list = {};
    device_list = {};
}

}  // namespace vftrace
