#include "device_record/record_memory.hpp"

#include "base/arena.hpp"
#include "guest/bounded_lock.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

BoundedLock lock;
Arena arena(map_tree_memory);

}  // namespace

void* gpu_memory(std::size_t bytes) {
    if (!lock.lock())
        return nullptr;
    void* memory = arena.allocate(bytes);
    lock.unlock();
    return memory;
}

GpuRecord* gpu_record() {
    ProcessRecord* process = process_record;
    if (!process)
        return nullptr;
    if (GpuRecord* record = __atomic_load_n(&process->gpu, __ATOMIC_ACQUIRE)) [[likely]]
        return record;
    auto* record = static_cast<GpuRecord*>(gpu_memory(sizeof(GpuRecord)));
    GpuRecord* other = nullptr;
    if (!record || __atomic_compare_exchange_n(&process->gpu, &other, record, false,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return record;
    return other;
}

void forget_gpu_memory() {
    lock = {};
    arena = Arena(map_tree_memory);
}

}  // namespace vftrace
