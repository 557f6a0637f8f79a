// GPUs that are idle between pieces of work.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.3;
constexpr double least_kernels = 0.01;  // else the program does not have work for GPUs

}  // namespace

void find_gpu_idle(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    double idle = 0, kernels = 0;
    for (const GpuDeviceFigures& gpu : run.profile.gpu_devices) {
        const std::int64_t busy = gpu.kernel_ns + gpu.copy_ns - gpu.overlap_ns;
        idle += static_cast<double>(std::max<std::int64_t>(gpu.span_ns - busy, 0)) / 1e9;
        kernels += static_cast<double>(gpu.kernel_ns) / 1e9;
    }
    const auto gpus = static_cast<double>(run.profile.gpu_devices.size());
    if (gpus == 0 || kernels / gpus < least_kernels * run.elapsed_s ||
        !run.is_worth_it(idle / gpus, least_share))
        return;
    RunFinding finding = run.finding(rule, idle / gpus);
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++)
        if (run.is_own_code(i) && (finding.path == no_index ||
                                   run.exclusive_seconds(i) > run.exclusive_seconds(finding.path)))
            finding.path = i;
    finding.sentence =
        format("%s idle %s, %s of the time, between the first and the last piece of work.",
               gpus > 1 ? format("%.0f GPUs are", gpus).c_str() : "The GPU is",
               seconds_text(idle / gpus).c_str(), percent_text(finding.share).c_str());
    finding.reason = format("The host does not give %s work in time", gpus > 1 ? "them" : "it");
    if (finding.path != no_index)
        finding.reason += ": meanwhile the host spends most time in " + run.place(finding.path);
    finding.reason += ".";
    finding.confidence = Confidence::certain;
    finding.next_step =
        "Launch kernels ahead without waiting for each, or move this work to the GPU; \"vftrace "
        "report --cuda FILE\" shows what the GPU waits for.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
