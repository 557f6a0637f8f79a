// What a dead process had GPUs do.
#include <utility>

#include "record/openacc_events.hpp"
#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

// Copies a list of the file up to where it is damaged. read(element) copies one into this process,
// and says where the copy is: nullptr if it is to be left out.
template <class Element, class Read>
Element* copy_list(const Element* next, Read read) {
    Element* first = nullptr;
    Element** link = &first;
    while (next) {
        Element element;
        Element* const kept = read(next, element);
        next = element.next_created;
        if (kept) {
            kept->next_created = nullptr;
            *link = kept;
            link = &kept->next_created;
        }
    }
    return first;
}

}  // namespace

// The name of a call, which many nodes may have; never nullptr, nor is its function.
GpuCallName* RecoveredProcess::gpu_name(const GpuCallName* pointer) {
    const auto known = known_gpu_names_.find(pointer);
    if (known != known_gpu_names_.end())
        return known->second;
    constexpr const char* lost = "(name lost)";
    GpuCallName name;
    if (!image_->read(pointer, name) || !spend(sizeof name)) {
        left_out_++;
        name = {GpuApi::runtime, 0, nullptr, nullptr, nullptr};
    }
    if (name.api == GpuApi::openacc && !openacc_event(openacc_event_number(name.callback)))
        name.api = GpuApi::runtime;
    name.function = name.function ? keep_text(name.function, lost) : lost;
    if (name.kernel)
        name.kernel = keep_text(name.kernel, lost);
    for (const char** text : {&name.file, &name.within})
        if (*text)
            *text = keep_text(*text, "");
    name.next_created = nullptr;
    GpuCallName* const kept = &gpu_names_.emplace_back(name);
    known_gpu_names_.emplace(pointer, kept);
    return kept;
}

// Elements are complete before they are linked, and come from memory that is never given back.
void RecoveredProcess::read_gpu() {
    const GpuRecord* pointer = std::exchange(record_.gpu, nullptr);
    if (!pointer)
        return;
    if (!image_->read(pointer, gpu_)) {
        left_out_++;
        return;
    }
    record_.gpu = &gpu_;
    // False at the end of what can be read: the element has no successor then.
    const auto take = [&](const auto* at, auto& element) {
        const bool taken = image_->read(at, element) && spend(sizeof element);
        if (!taken) {
            left_out_++;
            element.next_created = nullptr;
        }
        return taken;
    };
    GpuCallName** link = &gpu_.names;
    for (const GpuCallName* next = std::exchange(gpu_.names, nullptr); next;) {
        GpuCallName name;
        if (!take(next, name))
            break;
        GpuCallName* const kept = gpu_name(std::exchange(next, name.next_created));
        if (kept->next_created || link == &kept->next_created)
            break;  // the list goes round in circles
        *link = kept;
        link = &kept->next_created;
    }
    gpu_.work = copy_list<GpuPathWork>(gpu_.work, [&](auto* at, GpuPathWork& work) {
        if (!take(at, work))
            return static_cast<GpuPathWork*>(nullptr);
        if (static_cast<std::size_t>(work.work) >= gpu_works) {
            left_out_++;
            return static_cast<GpuPathWork*>(nullptr);
        }
        work.node = node_at(work.node);
        if (work.kernel)
            work.kernel = keep_text(work.kernel, "(name lost)");
        return &gpu_work_.emplace_back(work);
    });
    gpu_.streams = copy_list<GpuStream>(gpu_.streams, [&](auto* at, GpuStream& stream) {
        return take(at, stream) ? &gpu_streams_.emplace_back(stream) : nullptr;
    });
    gpu_.devices = copy_list<GpuDevice>(gpu_.devices, [&](auto* at, GpuDevice& device) {
        device.name[0] = '\0';
        if (!take(at, device))
            return static_cast<GpuDevice*>(nullptr);
        device.name[sizeof device.name - 1] = '\0';
        return &gpu_devices_.emplace_back(device);
    });
    gpu_.transfers =
        copy_list<ConstructTransfers>(gpu_.transfers, [&](auto* at, ConstructTransfers& work) {
            if (!take(at, work))
                return static_cast<ConstructTransfers*>(nullptr);
            work.node = node_at(work.node);
            return &transfers_.emplace_back(work);
        });
    gpu_.construct_devices =
        copy_list<ConstructDevice>(gpu_.construct_devices, [&](auto* at, ConstructDevice& device) {
            return take(at, device) ? &construct_devices_.emplace_back(device) : nullptr;
        });
}

}  // namespace vftrace
