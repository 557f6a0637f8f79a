// Time spent reading from and writing to storage.
//
// The time is not measured but estimated: the time that a slow disk would need for the transferred
// bytes and the waits of threads, but at most the time in which no thread worked, plus the kernel's
// work for these bytes.
#include <algorithm>

#include "base/text.hpp"
#include "findings/rules.hpp"

namespace vftrace {
namespace {

constexpr double least_share = 0.1, least_seconds = 0.5, least_bytes = 256 * 1024;
// Of a slow disk, and of a kernel that copies.
constexpr double disk_bytes_per_s = 100e6, disk_access_s = 0.01, block_bytes = 4096,
                 kernel_bytes_per_s = 1e9;

}  // namespace

void find_input_output(const RunFacts& run, std::string_view rule, RunFindings& findings) {
    const ResourceFigures& figures = run.resources;
    const double bytes = figures.from_storage + figures.to_storage;
    if (!(bytes >= least_bytes))
        return;
    const double accesses = std::min(figures.voluntary_switches, bytes / block_bytes);
    const double blocked_s =
        std::min(run.blocked_seconds(), bytes / disk_bytes_per_s + accesses * disk_access_s);
    const double kernel_s = std::min(figures.system_s, bytes / kernel_bytes_per_s);
    const double saved = blocked_s / run.ranks + run.elapsed_share_of(kernel_s);
    // Other programs that use the disk can delay a run by tenths of a second.
    if (saved < least_seconds || !run.is_worth_it(saved, least_share))
        return;
    RunFinding finding = run.finding(rule, saved);
    const FunctionsTime time = run.time_in(system_call_functions);
    finding.path = time.longest;
    finding.sentence =
        format("Reading %s from storage and writing %s to it takes up to %s, %s of the time%s.",
               bytes_text(figures.from_storage).c_str(), bytes_text(figures.to_storage).c_str(),
               seconds_text(saved).c_str(), percent_text(finding.share).c_str(),
               run.most_of_it(time).c_str());
    finding.reason = format("Per rank, the program is blocked for %s and the kernel works for %s; "
                            "it blocks %s times in all.",
                            seconds_text(run.blocked_seconds() / run.ranks).c_str(),
                            seconds_text(figures.system_s / run.ranks).c_str(),
                            count_text(figures.voluntary_switches).c_str());
    // Threads that start a GPU or wait for one are blocked too, which figures of processes do not
    // show.
    const bool is_disk = blocked_s >= run.blocked_seconds() / 2 && blocked_s > kernel_s &&
                         run.profile.gpu_devices.empty();
    finding.confidence = is_disk ? Confidence::likely : Confidence::possible;
    finding.next_step = "Write less often and in larger blocks, call fsync once, or have another "
                        "thread do it; \"vftrace report --process FILE\" shows the bytes and calls "
                        "of each rank; the option process.interval records them over time.";
    findings.push_back(std::move(finding));
}

}  // namespace vftrace
