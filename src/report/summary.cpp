// The beginning of every text log.
#include "report/summary.hpp"

#include <algorithm>
#include <ctime>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "collate/saturating.hpp"
#include "report/cuda_summary.hpp"
#include "report/offload_rows.hpp"

namespace vftrace {
namespace {

// "Sat Nov 21 01:32:50 2026", in English whatever the locale.
std::string local_date(std::int64_t unix_ns) {
    const std::time_t time = static_cast<std::time_t>(unix_ns / 1'000'000'000);
    std::tm local{};
    localtime_r(&time, &local);
    std::string text(26, '\0');
    asctime_r(&local, text.data());
    text.resize(text.find('\n'));
    return text;
}

// "Total runtime:            0.22 s": the values of all lines end in the same column.
void write_seconds(OutputFile& out, const char* label, std::int64_t ns) {
    out.print("%-22s%8.2f s\n", label, static_cast<double>(ns) / 1e9);
}

void write_count(OutputFile& out, const char* label, std::uint32_t count) {
    out.print("%-22s%8u\n", label, count);
}

void write_text(OutputFile& out, const char* label, const std::string& text) {
    out.print("%-22s", label);
    out.write(printable(text) + "\n");
}

void write_memory(OutputFile& out, const char* label, std::uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024.0; unit++)
        value /= 1024.0;
    out.print("%-22s%8.2f %s\n", label, value, units[unit]);
}

struct DeviceTimes {
    std::int64_t compute_ns = 0, memcpy_ns = 0, other_ns = 0;
};

void write_device_times(const Profile& profile, const char* title, const DeviceTimes& times,
                        OutputFile& out) {
    const std::int64_t ranks = profile.summed_ranks();
    std::int64_t total = times.compute_ns;
    add_saturating(total, times.memcpy_ns);
    add_saturating(total, times.other_ns);
    write_seconds(out, title, total / ranks);
    write_seconds(out, "   Compute:", times.compute_ns / ranks);
    write_seconds(out, "   Memcpy:", times.memcpy_ns / ranks);
    write_seconds(out, "   Other:", times.other_ns / ranks);
}

DeviceTimes openacc_times(const Profile& profile) {
    DeviceTimes times;
    for (const OffloadRow& row : offload_rows(profile, OffloadModel::openacc).rows) {
        add_saturating(times.compute_ns, row.figures.time(OffloadTime::compute));
        add_saturating(times.memcpy_ns, row.figures.time(OffloadTime::data));
        add_saturating(times.other_ns, row.figures.time(OffloadTime::wait));
        add_saturating(times.other_ns, row.figures.time(OffloadTime::other));
    }
    return times;
}

}  // namespace

void write_log_header(const RunInfo& run, OutputFile& out) {
    out.print("vftrace %s\n", version);
    out.write("Runtime profile for application:");
    if (!run.application.empty())
        out.write(" " + printable(run.application));
    out.print("\nStart Date: %s\n", local_date(run.start_unix_ns).c_str());
    out.print("End Date:   %s\n\n", local_date(run.end_unix_ns).c_str());
    out.write("This is free software with ABSOLUTELY NO WARRANTY.\n"
              "For details see the file \"LICENSE\" that comes with the source code.\n\n");
}

void write_summary(const Profile& profile, OutputFile& out) {
    const RunInfo& run = profile.run;
    if (run.uses_mpi)
        write_count(out, "Nr. of MPI ranks:", run.ranks);
    if (run.threads > 1)
        write_count(out, "Nr. of threads:", run.threads);
    if (run.snapshot)
        write_text(out, "Snapshot:", "the program was still running");
    if (!run.ended.empty())
        write_text(out, "Ended by:", run.ended);
    write_seconds(out, "Total runtime:", run.runtime_ns);
    if (run.paused_ns > 0)
        write_seconds(out, "Paused time:", run.paused_ns);
    if (run.sample_period_ns > 0)
        write_text(out, "Sampled:",
                   format("once in %g ms of each thread's %s; see doc/sampling.md",
                          static_cast<double>(run.sample_period_ns) / 1e6,
                          run.sample_clock.c_str()));
    // An estimate of the overhead that exceeds a very short run is no negative time.
    write_seconds(out, "Application time:", std::max<std::int64_t>(0, profile.application_ns()));
    write_seconds(out, "Overhead:", run.overhead_ns() / profile.summed_ranks());
    for (const OverheadItem& item : run.overhead)
        write_seconds(out, format("   %s:", item.label.c_str()).c_str(),
                      item.ns / profile.summed_ranks());
    if (uses_gpus(profile)) {
        const CudaTimes cuda = cuda_times(profile);
        write_device_times(
            profile, "Total CUDA time:", {cuda.compute_ns, cuda.memcpy_ns, cuda.other_ns}, out);
    }
    if (uses_offload(profile, OffloadModel::openacc))
        write_device_times(profile, "Total OpenACC time:", openacc_times(profile), out);
    write_memory(out, "Vftrace used memory:", run.memory_bytes);
    out.write("\n");
    for (const std::string& warning : run.warnings)
        out.write("Warning: " + printable(warning) + "\n");
    if (!run.warnings.empty())
        out.write("\n");
}

}  // namespace vftrace
