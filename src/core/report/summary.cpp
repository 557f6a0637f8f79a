#include "report/summary.hpp"

#include <algorithm>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "base/version.hpp"
#include "report/cuda_summary.hpp"
#include "report/offload_rows.hpp"

namespace vftrace {
namespace {

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
    for (const OffloadRow& row : offload_rows(profile, ProgrammingModel::openacc).rows) {
        add_saturating(times.compute_ns, row.figures.time(ConstructTime::compute));
        add_saturating(times.memcpy_ns, row.figures.time(ConstructTime::data));
        add_saturating(times.other_ns, row.figures.time(ConstructTime::wait));
        add_saturating(times.other_ns, row.figures.time(ConstructTime::other));
    }
    return times;
}

// The names of the signals in "signal 15 (Terminated) (ranks 0, 2); signal 11 (...", each once.
std::vector<std::string_view> signals_of(std::string_view ended) {
    constexpr std::string_view before = "signal ";
    std::vector<std::string_view> names;
    for (std::size_t at = 0; (at = ended.find(before, at)) != std::string_view::npos;) {
        at = std::min(ended.find_first_not_of("0123456789", at + before.size()), ended.size());
        const std::string_view rest = ended.substr(at);
        const std::size_t end = rest.find(')');
        if (!rest.starts_with(" (") || rest.starts_with(" (rank") || end == std::string_view::npos)
            continue;
        const std::string_view name = rest.substr(2, end - 2);
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    }
    return names;
}

// The banner of Vftrace 2.0, which scripts look for.
void write_signals(std::string_view ended, OutputFile& out) {
    const std::vector<std::string_view> names = signals_of(ended);
    if (names.empty())
        return;
    std::string lines;
    std::size_t longest = 0;
    for (const std::string_view name : names) {
        const std::string line = "Application was cancelled by signal: " + printable(name);
        longest = std::max(longest, line.size());
        lines += line + '\n';
    }
    const std::string asterisks(longest, '*');
    out.write(asterisks + '\n' + lines + asterisks + "\n\n");
}

// Whether there are rows whose time is measured by the clock, including the kernel's work.
bool has_clocked_rows(const Profile& profile) {
    return std::any_of(profile.functions.begin(), profile.functions.end(),
                       [](const Function& f) { return row_of(f.kind).is(kind_has_clock); });
}

void write_processor_time(const Profile& profile, OutputFile& out) {
    const RunInfo& run = profile.run;
    if (run.processor_ns <= 0)
        return;
    const std::int64_t ranks = profile.summed_ranks();
    write_seconds(out, "Processor time:", run.processor_ns / ranks);
    out.print("%-22s%8.2f s (%.1f %%)\n",
              has_clocked_rows(profile) ? "   Not in the table, up to:" : "   Not in the table:",
              static_cast<double>(run.unsampled_ns) / static_cast<double>(ranks) / 1e9,
              100.0 * static_cast<double>(run.unsampled_ns) /
                  static_cast<double>(run.processor_ns));
}

}  // namespace

std::string local_date(std::int64_t unix_ns) {
    const std::time_t time = static_cast<std::time_t>(unix_ns / 1'000'000'000);
    std::tm local{};
    localtime_r(&time, &local);
    std::string text(26, '\0');
    asctime_r(&local, text.data());
    text.resize(text.find('\n'));
    return text;
}

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
    write_signals(run.ended, out);
    if (run.uses_mpi)
        write_count(out, "Nr. of MPI ranks:", run.ranks);
    if (run.threads > 1)
        write_count(out, "Nr. of threads:", run.threads);
    if (run.snapshot)
        write_text(out, "Snapshot:", "the program was still running");
    if (!run.ended.empty())
        write_text(out, "Ended by:", run.ended);
    if (!run.parameters.empty())
        write_text(out, "Parameters:", text_of(run.parameters));
    write_seconds(out, "Total runtime:", run.runtime_ns);
    if (run.paused_ns > 0)
        write_seconds(out, "Paused time:", run.paused_ns);
    if (run.sample_period_ns > 0)
        write_text(out, "Sampled:",
                   format("once per %g ms of each thread's %s (vftrace help run, --sample)",
                          static_cast<double>(run.sample_period_ns) / 1e6,
                          run.sample_clock.c_str()));
    write_processor_time(profile, out);
    // An estimate of the overhead that exceeds a very short run must not give a negative time.
    const std::int64_t application = std::max<std::int64_t>(0, profile.application_ns());
    write_seconds(out, "Application time:", application);
    // The 95 % interval, where it is wide: the cost of measuring, which is subtracted, is an
    // estimate.
    constexpr double wide = 0.1;
    if (const double error = 1.96 * static_cast<double>(run.delay_error_ns);
        error > wide * static_cast<double>(application))
        write_seconds(out, "   Error (95 %):", static_cast<std::int64_t>(error));
    // What threads and ranks lose at the same time counts once: these lines add up to the run time.
    const std::int64_t delay = run.runtime_ns - run.paused_ns - application;
    const double share = run.overhead_ns() > 0
                             ? static_cast<double>(delay) / static_cast<double>(run.overhead_ns())
                             : 0.0;
    write_seconds(out, "Overhead:", delay);
    for (const OverheadItem& item : run.overhead)
        write_seconds(out, ("   " + printable(name_of(item).label) + ":").c_str(),
                      static_cast<std::int64_t>(static_cast<double>(item.ns) * share));
    if (uses_gpus(profile)) {
        const CudaTimes cuda = cuda_times(profile);
        write_device_times(
            profile, "Total CUDA time:", {cuda.compute_ns, cuda.memcpy_ns, cuda.other_ns}, out);
    }
    if (uses_offload(profile, ProgrammingModel::openacc))
        write_device_times(profile, "Total OpenACC time:", openacc_times(profile), out);
    write_memory(out, "Vftrace used memory:", run.memory_bytes);
    out.write("\n");
    for (const Notice& notice : run.notices)
        out.write("Warning: " + printable(full_sentence(notice)) + "\n");
    if (!run.notices.empty())
        out.write("\n");
}

}  // namespace vftrace
