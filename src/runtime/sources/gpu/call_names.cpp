// The names of GPU calls.
#include "gpu/call_names.hpp"

#include <string_view>

#include "base/fnv.hpp"
#include "device_record/name_table.hpp"
#include "device_record/record_memory.hpp"
#include "guest/bounded_lock.hpp"

namespace vftrace {
namespace {

BoundedLock lock;  // for adding
NameTable calls, kernels;
GpuFunctionNames function_names;
GrowingList<GpuCallName> list;

std::uint64_t call_id(GpuApi api, std::uint32_t callback) {
    return std::uint64_t{static_cast<std::uint8_t>(api)} << 32 | callback;
}

// "cudaMemcpyAsync" for "cudaMemcpyAsync_ptsz_v7000": without the version of CUDA that introduced
// it, and the kind of default stream.
std::string_view plain_name(std::string_view name) {
    while (name.starts_with('_'))
        name.remove_prefix(1);
    constexpr std::size_t shortest_version = 4;
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    if (name.size() >= digits + shortest_version && name.substr(0, digits).ends_with("_v"))
        name = name.substr(0, digits - 2);
    for (std::string_view end : {"_ptsz", "_ptds"})
        if (name.ends_with(end))
            name.remove_suffix(end.size());
    return name;
}

const char* keep(std::string_view text) {
    auto* copy = static_cast<char*>(gpu_memory(text.size() + 1));
    return copy ? static_cast<char*>(std::memcpy(copy, text.data(), text.size())) : nullptr;
}

// The following functions are called with the lock held.
const char* add_kernel_name(const char* name) {
    const std::uint64_t hash = fnv1a(name);
    auto* known = static_cast<char*>(kernels.find(1, hash, name));
    if (!known) {
        known = const_cast<char*>(keep(name));
        if (!known)
            return nullptr;
        kernels.add(1, hash, known, known);
    }
    kernels.add(0, reinterpret_cast<std::uintptr_t>(name), known, known);
    return known;
}

GpuCallName* make_call_name(GpuApi api, std::uint32_t callback, const char* kernel) {
    GpuRecord* record = gpu_record();
    GpuCallName* made = record ? list.make() : nullptr;
    const char* name = function_names(api, callback);
    if (!made || !(made->function = keep(plain_name(name ? name : "unknown CUDA function"))))
        return nullptr;
    made->api = api;
    made->callback = callback;
    made->kernel = kernel;
    list.append(record->names, made);
    return made;
}

GpuCallName* add_call_name(GpuApi api, std::uint32_t callback, const char* kernel) {
    const char* kept = kernel ? add_kernel_name(kernel) : nullptr;
    if (kernel && !kept)
        return nullptr;
    const std::uint64_t id = call_id(api, callback);
    // A kernel's name may be at several addresses.
    const auto kept_place = reinterpret_cast<std::uintptr_t>(kept);
    auto* name = static_cast<GpuCallName*>(calls.find(id, kept_place, kept));
    if (!name) {
        name = make_call_name(api, callback, kept);
        if (!name)
            return nullptr;
        calls.add(id, kept_place, kept, name);
    }
    if (kernel)
        calls.add(id, reinterpret_cast<std::uintptr_t>(kernel), kept, name);
    return name;
}

}  // namespace

void start_gpu_names(GpuFunctionNames names) { function_names = names; }

GpuCallName* gpu_call_name(GpuApi api, std::uint32_t callback, const char* kernel) {
    const std::uint64_t id = call_id(api, callback);
    const auto place = reinterpret_cast<std::uintptr_t>(kernel);
    auto* name = static_cast<GpuCallName*>(calls.find(id, place, kernel));
    if (!name && lock.lock()) [[unlikely]] {
        name = static_cast<GpuCallName*>(calls.find(id, place, kernel));
        if (!name)
            name = add_call_name(api, callback, kernel);
        lock.unlock();
    }
    return name;
}

const char* kept_kernel_name(const char* name) {
    const auto place = reinterpret_cast<std::uintptr_t>(name);
    auto* kept = static_cast<const char*>(kernels.find(0, place, name));
    if (!kept && lock.lock()) [[unlikely]] {
        kept = static_cast<const char*>(kernels.find(0, place, name));
        if (!kept)
            kept = add_kernel_name(name);
        lock.unlock();
    }
    return kept;
}

void forget_gpu_names() {
    lock = {};
    calls = {};
    kernels = {};
    list = {};
}

}  // namespace vftrace
