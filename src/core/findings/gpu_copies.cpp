// Copies to and from GPUs while no kernel runs.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.05;

}  // namespace

void find_gpu_copies(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    double copies = 0, could_overlap = 0;
    for (const GpuDeviceFigures& gpu : run.profile.gpu_devices) {
        const auto alone =
            static_cast<double>(std::max<std::int64_t>(gpu.copy_ns - gpu.overlap_ns, 0));
        const auto kernels =
            static_cast<double>(std::max<std::int64_t>(gpu.kernel_ns - gpu.overlap_ns, 0));
        copies += alone / 1e9;
        could_overlap += std::min(alone, kernels) / 1e9;
    }
    const auto gpus = static_cast<double>(run.profile.gpu_devices.size());
    if (gpus == 0 || !run.is_worth_it(could_overlap / gpus, least_share))
        return;
    RunFinding finding = run.finding(rule, could_overlap / gpus);
    std::int64_t most = 0;
    for (const PathGpuWork& work : run.profile.gpu_work)
        if (work.work != GpuWork::kernel && work.ns > most && work.path > 0) {
            most = work.ns;
            finding.path = work.path;
        }
    finding.sentence = format("Copies to and from %s take %s, %s of the time, while no kernel runs",
                              gpus > 1 ? "GPUs" : "the GPU", seconds_text(copies / gpus).c_str(),
                              percent_text(copies / gpus / run.elapsed_s).c_str());
    if (finding.path != no_index)
        finding.sentence += ", most of them by " + run.place(finding.path);
    finding.sentence += ".";
    finding.reason = format("%s of that could run at the same time as kernels.",
                            seconds_text(could_overlap / gpus).c_str());
    finding.confidence = Confidence::likely;
    finding.next_step =
        "Use cudaMemcpyAsync from pinned memory in a separate stream, or keep data on the GPU; "
        "\"vftrace report --cuda FILE\" shows copies and streams.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
