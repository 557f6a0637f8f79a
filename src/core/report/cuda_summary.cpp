#include "report/cuda_summary.hpp"

#include <algorithm>
#include <string>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "record/openacc_events.hpp"
#include "report/rows.hpp"
#include "report/table.hpp"

namespace vftrace {
namespace {

const Function& function_of(const Profile& profile, std::uint32_t path) {
    return profile.functions[profile.paths[path].function];
}

bool is_of_cuda(const Function& function) {
    return function.kind == NodeKind::gpu && !is_openacc(function.offset);
}

bool is_call(const Profile& profile, std::uint32_t path) {
    return is_of_cuda(function_of(profile, path));
}

// CUPTI's number of the function that is called, gpu_call_id(); 0: it is not a call.
std::uint64_t call_id(const Profile& profile, std::uint32_t path) {
    return is_call(profile, path) ? function_of(profile, path).offset : 0;
}

// The number as a table shows it: those of the two APIs overlap.
std::string cbid_text(std::uint64_t id) {
    return format("%u%s", static_cast<std::uint32_t>(id),
                  id >> 32 == static_cast<std::uint64_t>(GpuApi::driver) ? " (driver)" : "");
}

void add(const PathGpuWork& work, CudaRow& row) {
    add_saturating(work.work == GpuWork::kernel ? row.compute_ns : row.memcpy_ns, work.ns);
    switch (work.work) {
    case GpuWork::host_to_device:
    case GpuWork::migrated_to_device:
        add_saturating(row.to_device, work.bytes);
        break;
    case GpuWork::device_to_host:
    case GpuWork::migrated_to_host:
        add_saturating(row.to_host, work.bytes);
        break;
    case GpuWork::kernel:
    case GpuWork::device_to_device:
    case GpuWork::peer_to_peer:
    case GpuWork::host_to_host:
    case GpuWork::memset:
        break;
    }
}

double time_of(const CudaRow& row) {
    return static_cast<double>(row.compute_ns) + static_cast<double>(row.memcpy_ns) +
           static_cast<double>(row.other_ns);
}

bool comes_before(const Profile& profile, const CudaRow& a, const CudaRow& b, CudaSortOrder sort) {
    const std::uint32_t stid_a = profile.paths[a.path].stid, stid_b = profile.paths[b.path].stid;
    const auto before = [&](auto value_a, auto value_b) {
        return row_before(value_a, value_b, stid_a, stid_b, sort.ascending);
    };
    switch (sort.column) {
    case CudaColumn::time:
        return before(time_of(a), time_of(b));
    case CudaColumn::memcpy:
        return before(a.memcpy_ns, b.memcpy_ns);
    case CudaColumn::cbid: {
        // By the number, then by the API.
        const auto key = [&](const CudaRow& row) {
            const std::uint64_t id = call_id(profile, row.path);
            return id << 32 | id >> 32;
        };
        return before(key(a), key(b));
    }
    case CudaColumn::calls:
        return before(a.calls, b.calls);
    case CudaColumn::stack_id:
        break;
    }
    return before(stid_a, stid_b);
}

// One line for each kind of GPU.
std::string gpus_text(const Profile& profile) {
    std::vector<std::pair<std::string, std::size_t>> kinds;
    for (const GpuDeviceFigures& device : profile.gpu_devices) {
        const auto same = std::find_if(kinds.begin(), kinds.end(),
                                       [&](const auto& kind) { return kind.first == device.name; });
        if (same == kinds.end())
            kinds.emplace_back(device.name, 1);
        else
            same->second++;
    }
    std::string text;
    for (const auto& [name, count] : kinds)
        append_format(text, "Using %zu GPUs: %s\n", count,
                      name.empty() ? "(their name is not known)" : printable(name).c_str());
    if (kinds.empty())
        text = "Using 0 GPUs: no work was seen on any\n";
    if (!profile.run.visible_gpus.empty())
        text += "Visible GPUs: " + printable(profile.run.visible_gpus) + "\n";
    return text;
}

}  // namespace

std::vector<CudaRow> cuda_rows(const Profile& profile) {
    std::vector<CudaRow> rows;
    std::size_t next = 0;  // both lists are sorted by path
    const std::vector<PathGpuWork>& all = profile.gpu_work;
    for (std::uint32_t path = 0; path < profile.paths.size(); path++) {
        const bool has_work = next < all.size() && all[next].path == path;
        if (!has_work && !is_call(profile, path))
            continue;
        CudaRow& row = rows.emplace_back();
        row.path = path;
        row.calls = is_call(profile, path) ? profile.paths[path].calls : 0;
        if (!has_work)
            row.other_ns = profile.paths[path].exclusive_ns;
        for (; next < all.size() && all[next].path == path; next++)
            add(all[next], row);
    }
    return rows;
}

CudaTimes cuda_times(const Profile& profile) {
    CudaTimes times;
    for (const CudaRow& row : cuda_rows(profile)) {
        add_saturating(times.compute_ns, row.compute_ns);
        add_saturating(times.memcpy_ns, row.memcpy_ns);
        add_saturating(times.other_ns, row.other_ns);
    }
    return times;
}

bool uses_gpus(const Profile& profile) {
    return !profile.gpu_work.empty() || !profile.gpu_devices.empty() ||
           std::any_of(profile.functions.begin(), profile.functions.end(), is_of_cuda);
}

void write_cuda_summary(const Profile& profile, const PathText& text, const ReportOptions& options,
                        LogScope scope, TableOutput& out) {
    std::vector<CudaRow> rows = cuda_rows(profile);
    std::sort(rows.begin(), rows.end(), [&](const CudaRow& a, const CudaRow& b) {
        return comes_before(profile, a, b, options.cuda_sort);
    });
    const int decimals = scope == LogScope::summary ? 3 : 2;
    const Column columns[] = {stid_column,
                              text_column("function", "cudaName"),
                              text_column("cbid", "CBID"),
                              count_column("calls", "#Calls"),
                              time_column("compute_time", "t_compute[s]", decimals),
                              time_column("memcpy_time", "t_memcpy[s]", decimals),
                              time_column("other_time", "t_other[s]", decimals),
                              count_column("bytes_to_device", "Host->Device[B]", "B"),
                              count_column("bytes_to_host", "Device->Host[B]", "B")};
    const std::string gpus = gpus_text(profile);
    const std::size_t shown = shown_rows(rows.size(), options);
    const TableSpec spec = {.id = "cuda",
                            .title = "--Cuda Summary--",
                            .intro = gpus,
                            .row = "path",
                            .columns = columns,
                            .sorted_by = word_of(options.cuda_sort),
                            .ascending = options.cuda_sort.ascending};
    out.table(spec, shown, [&](std::size_t i, TableRow& cells) {
        const CudaRow& row = rows[i];
        if (row.path == 0) {
            cells.blank();
            cells.text(no_known_call);
            cells.blank();
            cells.blank();
        } else {
            cells.integer(profile.paths[row.path].stid);
            cells.text(text.function(row.path));
            const std::uint64_t id = call_id(profile, row.path);
            cells.text(id == 0 ? "" : cbid_text(id));
            cells.integer(row.calls);
        }
        cells.number(seconds(row.compute_ns));
        cells.number(seconds(row.memcpy_ns));
        cells.number(seconds(row.other_ns));
        cells.integer(row.to_device);
        cells.integer(row.to_host);
    });
    say_what_is_left_out(rows.size(), shown, out);
}

void write_cbid_names(const Profile& profile, TableOutput& out) {
    std::vector<const GpuFunction*> used;
    std::vector<std::uint64_t> ids;
    for (const Function& function : profile.functions)
        if (is_of_cuda(function) && function.offset != 0)
            ids.push_back(function.offset);
    std::sort(ids.begin(), ids.end());
    for (const GpuFunction& function : profile.gpu_functions)
        if (std::binary_search(ids.begin(), ids.end(), function.id))
            used.push_back(&function);
    if (used.empty())
        return;
    static constexpr Column columns[] = {text_column("cbid", "CBID"),
                                         text_column("name", "CUPTI name", Align::left)};
    const TableSpec spec = {.id = "cuda_functions",
                            .title = "CUPTI CBID names:",
                            .row = "function of CUDA",
                            .columns = columns,
                            .style = TableStyle::list};
    out.table(spec, used.size(), [&](std::size_t i, TableRow& row) {
        row.text(cbid_text(used[i]->id));
        row.text(used[i]->name);
    });
    out.write("\n");
}

}  // namespace vftrace
