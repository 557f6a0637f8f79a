// "CUDA ratio of memcpy / kernel calls": paths that copy back and forth between launches.
#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "report/cuda_summary.hpp"
#include "report/rows.hpp"

namespace vftrace {
namespace {

// How many are shown, those with the most copies or launches, unless the configuration sets another
// number.
constexpr std::size_t most_blocks = 20, most_kernels = 10;

using Works = std::vector<const PathGpuWork*>;

// The bytes copied by one path; nullptr: none in that direction.
struct Copies {
    std::uint32_t path = 0;
    const PathGpuWork *in = nullptr, *out = nullptr;
    std::uint64_t others = 0;  // on a device, between devices, within the host

    std::uint64_t count() const { return (in ? in->count : 0) + (out ? out->count : 0) + others; }
};

std::vector<Copies> copies_by_path(const Profile& profile) {
    std::vector<Copies> all;
    for (const PathGpuWork& work : profile.gpu_work) {
        const bool is_copy =
            work.work >= GpuWork::host_to_device && work.work <= GpuWork::host_to_host;
        if (!is_copy || work.path == 0)
            continue;
        if (all.empty() || all.back().path != work.path)
            all.push_back({work.path});
        Copies& copies = all.back();
        if (work.work == GpuWork::host_to_device)
            copies.in = &work;
        else if (work.work == GpuWork::device_to_host)
            copies.out = &work;
        else
            copies.others += work.count;
    }
    return all;
}

Works kernels_below(const Profile& profile, std::uint32_t caller) {
    Works kernels;
    for (const PathGpuWork& work : profile.gpu_work)
        if (work.work == GpuWork::kernel && work.path != 0 && is_below(profile, work.path, caller))
            kernels.push_back(&work);
    std::sort(kernels.begin(), kernels.end(), [&](const PathGpuWork* a, const PathGpuWork* b) {
        const std::uint32_t stid_a = profile.paths[a->path].stid,
                            stid_b = profile.paths[b->path].stid;
        return a->count != b->count ? a->count > b->count
               : stid_a != stid_b   ? stid_a < stid_b
                                    : a->function < b->function;
    });
    return kernels;
}

unsigned long long count_of(const PathGpuWork* work) { return work ? work->count : 0; }

// "100 in", and for several ranks "100 in (25.00 per rank: 0 to 50)".
std::string count_text(const Profile& profile, const PathGpuWork* work, const char* what) {
    std::string text = format("%llu %s", count_of(work), what);
    const auto ranks = static_cast<std::uint64_t>(profile.summed_ranks());
    if (work && work->by_rank.ranks > 0 && ranks > 1)
        append_format(
            text, " (%.2f per rank: %llu to %llu)", mean(static_cast<double>(work->count), ranks),
            work->by_rank.ranks < ranks ? 0ull
                                        : static_cast<unsigned long long>(work->by_rank.fewest),
            static_cast<unsigned long long>(work->by_rank.most));
    return text;
}

void write_block(const Profile& profile, const PathText& text, const Copies& copies,
                 TableOutput& out) {
    const std::uint32_t caller = profile.paths[copies.path].parent;
    out.print("%s<%s (STID %u): ", text.function(copies.path).c_str(),
              std::string(text.caller(copies.path)).c_str(), profile.paths[copies.path].stid);
    out.write(count_text(profile, copies.in, "in") + ", " + count_text(profile, copies.out, "out"));
    if (copies.others > 0)
        out.print(", %llu other copies", static_cast<unsigned long long>(copies.others));
    out.write("\n");
    const Works kernels = kernels_below(profile, caller);
    if (kernels.empty())
        out.write("    no kernel is launched below the same caller\n");
    for (std::size_t i = 0; i < kernels.size() && i < most_kernels; i++) {
        const PathGpuWork& kernel = *kernels[i];
        const std::string name =
            kernel.function == no_index ? text.function(kernel.path) : text.name(kernel.function);
        out.print("    %s (STID %u): ", name.c_str(), profile.paths[kernel.path].stid);
        out.write(count_text(profile, &kernel, kernel.count == 1 ? "launch" : "launches"));
        out.print(", %.3f in and %.3f out per launch\n",
                  mean(static_cast<double>(count_of(copies.in)), kernel.count),
                  mean(static_cast<double>(count_of(copies.out)), kernel.count));
    }
    write_rest(kernels.size(), most_kernels, "kernel", "kernels", out, "    ");
}

}  // namespace

void write_cuda_ratios(const Profile& profile, const PathText& text, const ReportOptions& options,
                       TableOutput& out) {
    std::vector<Copies> all = copies_by_path(profile);
    if (all.empty())
        return;
    std::sort(all.begin(), all.end(), [&](const Copies& a, const Copies& b) {
        return row_before(a.count(), b.count(), profile.paths[a.path].stid,
                          profile.paths[b.path].stid, false);
    });
    out.write("CUDA ratio of memcpy / kernel calls:\n");
    const std::size_t shown = shown_rows(all.size(), options, most_blocks);
    for (std::size_t i = 0; i < shown; i++)
        write_block(profile, text, all[i], out);
    write_rest(all.size(), shown, "call path with copies", "call paths with copies", out);
    out.write("\n");
}

}  // namespace vftrace
