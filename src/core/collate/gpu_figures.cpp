#include "collate/gpu_figures.hpp"

#include <algorithm>
#include <string_view>

#include "base/relaxed.hpp"
#include "base/saturating.hpp"
#include "collate/unite.hpp"
#include "record/gpu_record.hpp"

namespace vftrace {
namespace {

const GpuRecord* record_of(const ProcessRecord& process) {
    return __atomic_load_n(&process.gpu, __ATOMIC_ACQUIRE);
}

// Longer times are impossible.
std::int64_t time_of(std::uint64_t ns) {
    constexpr std::uint64_t most = std::uint64_t{1} << 62;
    return static_cast<std::int64_t>(std::min(ns, most));
}
std::int64_t time_of(const std::uint64_t& counter, const std::uint64_t& until) {
    const std::uint64_t first = relaxed(counter), last = relaxed(until);
    return last > first ? time_of(last - first) : 0;
}

template <class Element, class Visit>
void visit(Element* const& list, Visit visit_element) {
    for (const Element* element = __atomic_load_n(&list, __ATOMIC_ACQUIRE); element;
         element = __atomic_load_n(&element->next_created, __ATOMIC_ACQUIRE))
        visit_element(*element);
}

class GpuFigures {
  public:
    GpuFigures(Profile& profile, FunctionTable& functions, const NodePaths& paths)
        : profile_(profile), functions_(functions), paths_(paths) {}

    void add(const GpuCallName& name) {
        profile_.gpu_functions.push_back({gpu_call_id(name.api, name.callback), name.function});
    }

    void add(const GpuPathWork& entry) {
        const std::uint64_t count = relaxed(entry.count);
        if (count == 0 || static_cast<std::size_t>(entry.work) >= gpu_works)
            return;
        PathGpuWork& work = profile_.gpu_work.emplace_back();
        const std::uint32_t path = paths_(entry.node);
        work.path = path == no_index ? 0 : path;
        if (entry.kernel)
            work.function = kernel_of(entry.kernel, work.path);
        work.work = entry.work;
        work.count = count;
        work.ns = time_of(relaxed(entry.ns));
        work.shortest_ns = time_of(relaxed(entry.shortest_ns));
        work.longest_ns = time_of(relaxed(entry.longest_ns));
        work.bytes = relaxed(entry.bytes);
        work.timely = relaxed(entry.timely);
        work.waited_ns = time_of(relaxed(entry.waited_ns));
    }

    void add(const GpuStream& stream) {
        GpuStreamFigures& figures = profile_.gpu_streams.emplace_back();
        figures.rank = profile_.run.rank;
        figures.device = stream.device;
        figures.context = stream.context;
        figures.stream = stream.stream;
        figures.kernels = relaxed(stream.kernels);
        figures.copies = relaxed(stream.copies);
        figures.bytes = relaxed(stream.bytes);
        figures.kernel_ns = time_of(relaxed(stream.kernel_ns));
        figures.copy_ns = time_of(relaxed(stream.copy_ns));
        figures.span_ns = time_of(stream.first_ns, stream.last_ns);
    }

    void add(const GpuDevice& device) {
        GpuDeviceFigures& figures = profile_.gpu_devices.emplace_back();
        figures.rank = profile_.run.rank;
        figures.number = device.number;
        figures.name = device.name;
        figures.kernel_ns = time_of(relaxed(device.kernel_ns));
        figures.copy_ns = time_of(relaxed(device.copy_ns));
        figures.overlap_ns = time_of(relaxed(device.overlap_ns));
        figures.span_ns = time_of(device.first_ns, device.last_ns);
    }

    void add(const ConstructTransfers& entry) {
        const std::uint32_t path = paths_(entry.node);
        if (path == no_index)
            return;
        PathTransfers& work = profile_.transfers.emplace_back();
        work.path = path;
        const auto figures = [&](ConstructBytes what) -> TransferFigures {
            const auto i = static_cast<std::size_t>(what);
            return {relaxed(entry.count[i]), relaxed(entry.bytes[i])};
        };
        work.to_device = figures(ConstructBytes::to_device);
        work.to_host = figures(ConstructBytes::to_host);
        work.on_device = figures(ConstructBytes::on_device);
    }

    void add(const ConstructDevice& device) {
        if (static_cast<std::size_t>(device.model) < programming_models)
            profile_.construct_devices.push_back(
                {profile_.run.rank, device.model, device.is_host != 0, device.number});
    }

    void finish() {
        sort_and_unite(profile_.gpu_functions);
        sort_and_unite(profile_.gpu_work);
        sort_and_unite(profile_.gpu_streams);
        sort_and_unite(profile_.gpu_devices);
        sort_and_unite(profile_.transfers);
        sort_and_unite(profile_.construct_devices);
    }

  private:
    // The path's own function if it is a launch of the kernel.
    std::uint32_t kernel_of(const char* kernel, std::uint32_t path) {
        const std::uint32_t own = profile_.paths[path].function;
        const Function& function = profile_.functions[own];
        return function.kind == NodeKind::gpu && function.symbol == kernel
                   ? own
                   : functions_.index_of_kernel(kernel);
    }

    Profile& profile_;
    FunctionTable& functions_;
    const NodePaths& paths_;
};

}  // namespace

void collect_gpu_figures(Profile& profile, const ProcessRecord& process, FunctionTable& functions,
                         const NodePaths& paths) {
    const GpuRecord* record = record_of(process);
    if (!record)
        return;
    GpuFigures figures(profile, functions, paths);
    const auto add = [&](const auto& element) { figures.add(element); };
    visit(record->names, add);
    visit(record->work, add);
    visit(record->streams, add);
    visit(record->devices, add);
    visit(record->transfers, add);
    visit(record->construct_devices, add);
    figures.finish();
    std::vector<Notice>& notices = profile.run.notices;
    note_count(notices, NoticeCode::gpu_work_dropped, relaxed(record->dropped));
    note_count(notices, NoticeCode::gpu_work_unfinished, relaxed(record->unfinished));
    note_count(notices, NoticeCode::gpu_work_unmatched, relaxed(record->unmatched));
}

bool uses_devices(const ProcessRecord& process) {
    const GpuRecord* record = record_of(process);
    if (!record)
        return false;
    bool found = __atomic_load_n(&record->names, __ATOMIC_RELAXED) ||
                 __atomic_load_n(&record->devices, __ATOMIC_RELAXED);
    visit(record->construct_devices,
          [&](const ConstructDevice& device) { found |= device.is_host == 0; });
    return found;
}

GpuCallbackTimes gpu_callback_times(const ProcessRecord& process, double ns_per_tick) {
    const GpuRecord* record = record_of(process);
    if (!record)
        return {};
    const auto ns = [&](const std::uint64_t& ticks) {
        return saturated_ns(static_cast<double>(relaxed(ticks)), ns_per_tick);
    };
    return {ns(record->callback_ticks), ns(record->openacc_ticks)};
}

}  // namespace vftrace
