// The GPU work of a dead process.
#include <utility>

#include "record/openacc_events.hpp"
#include "recover/recovered_process.hpp"

namespace vftrace {
namespace {

// Copies a list of the file up to where it is damaged. read() copies an element into this process
// and returns a pointer to the copy, or nullptr if the element is to be left out.
template <class Element, class Read>
Element* copy_list(const Element* next, Read read) {
    Element* first = nullptr;
    Element** link = &first;
    while (next) {
        Element element{};
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

// The name of a call, which many nodes may share; neither it nor its function is ever nullptr.
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

// Elements are complete before they are linked, and their memory is never freed.
void RecoveredProcess::read_gpu() {
    const GpuRecord* pointer = std::exchange(record_.gpu, nullptr);
    if (!pointer)
        return;
    if (!image_->read(pointer, gpu_)) {
        left_out_++;
        return;
    }
    record_.gpu = &gpu_;
    // Returns false if the element cannot be read; it does not have a successor then.
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
            break;  // the list is circular
        *link = kept;
        link = &kept->next_created;
    }
    // is_sound(element) returns whether an element is to be kept, and converts its pointers for
    // this process.
    const auto copy = [&]<class Element>(Element*& list, std::deque<Element>& kept, auto is_sound) {
        list = copy_list<Element>(list, [&](auto* at, Element& element) -> Element* {
            if (!take(at, element))
                return nullptr;
            if (!is_sound(element)) {
                left_out_++;
                return nullptr;
            }
            return &kept.emplace_back(element);
        });
    };
    const auto always = [](const auto&) { return true; };
    copy(gpu_.work, gpu_work_, [&](GpuPathWork& work) {
        if (static_cast<std::size_t>(work.work) >= gpu_works)
            return false;
        work.node = node_at(work.node);
        if (work.kernel)
            work.kernel = keep_text(work.kernel, "(name lost)");
        return true;
    });
    copy(gpu_.streams, gpu_streams_, always);
    copy(gpu_.devices, gpu_devices_, [](GpuDevice& device) {
        device.name[sizeof device.name - 1] = '\0';
        return true;
    });
    copy(gpu_.transfers, transfers_, [&](ConstructTransfers& work) {
        work.node = node_at(work.node);
        return true;
    });
    copy(gpu_.construct_devices, construct_devices_, always);
}

}  // namespace vftrace
