// Time that run-time systems spend on starting, ending and preparing instead of working for the
// program.
#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "efficiency/collectives.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1, least_seconds = 0.5;

// The functions of CUDA that neither launch, copy nor wait.
constexpr std::string_view gpu_preparations[] = {
    "cudaMalloc",       "cudaFree",          "cudaHostAlloc",
    "cudaHostRegister", "cudaStreamCreate",  "cudaStreamDestroy",
    "cudaEventCreate",  "cudaSetDevice",     "cudaDeviceReset",
    "cuMemAlloc",       "cuMemFree",         "cuMemHostAlloc",
    "cuInit",           "cuModuleLoad",      "cuCtxCreate",
    "cuLibraryLoad",    "cuDevicePrimaryCtx"};

bool begins_with_one(const std::string& name, const auto& beginnings) {
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

struct Sum {
    double seconds = 0;
    std::uint32_t longest = no_index;

    void add(const RunFacts& run, std::uint32_t path) {
        seconds += run.exclusive_seconds(path);
        if (longest == no_index || run.exclusive_seconds(path) > run.exclusive_seconds(longest))
            longest = path;
    }
};

void add_finding(const RunFacts& run, std::string_view rule, const Sum& sum, const char* what,
                 const char* reason, const char* next_step, RunFindings& findings) {
    const double saved = sum.seconds / run.ranks;
    if (saved < least_seconds || !run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    finding.path = sum.longest;
    finding.sentence =
        format("%s takes %s, %s of the time, most of it in %s.", what, seconds_text(saved).c_str(),
               percent_text(finding.share).c_str(), run.place(sum.longest).c_str());
    finding.reason = reason;
    finding.confidence = Confidence::certain;
    finding.next_step = next_step;
    findings.push_back(std::move(finding));
}

}  // namespace

void find_runtime_systems(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    Sum mpi, gpu;
    for (std::uint32_t i = 0; i < run.profile.paths.size(); i++) {
        if (run.kind(i) == NodeKind::mpi && mpi_call(run.name(i)) == MpiCall::start_or_end)
            mpi.add(run, i);
        if (run.kind(i) == NodeKind::gpu && begins_with_one(run.name(i), gpu_preparations))
            gpu.add(run, i);
    }
    add_finding(run, rule, mpi, "Starting and ending MPI",
                "This time does not grow with the length of the run, and this run is short.",
                "Judge the program by a longer run. The time for MPI depends on its launcher and "
                "the file system.",
                findings);
    add_finding(run, rule, gpu, "Preparing the GPU (memory, streams, modules)",
                "These calls wait for the GPU, or for the operating system.",
                "Allocate once and reuse it (cudaMallocAsync has pools); \"vftrace report --cuda "
                "FILE\" shows how often each is called.",
                findings);
}

}  // namespace vftrace
