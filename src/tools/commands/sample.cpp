// vftrace sample: the profile of a process that runs already.
#include <algorithm>
#include <csignal>
#include <ctime>
#include <memory>
#include <optional>

#include <fmt/core.h>

#include "attach/sampling_session.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "commands/recovery_commands.hpp"
#include "config/config.hpp"
#include "recover/file_image.hpp"

namespace vftrace::tools {
namespace {

constexpr double most_seconds = 1e9;
constexpr std::uint64_t usual_stack_kib = 16;

struct SampleArguments {
    std::vector<std::int64_t> pids;
    std::string job, output;
    std::optional<double> duration;
    double interval = 1;  // ms
    std::uint64_t stack = usual_stack_kib;
};

volatile std::sig_atomic_t is_to_stop;

// The second signal of a kind has its usual effect.
void stop_on_signals() {
    for (int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction action = {};
        action.sa_handler = [](int) { is_to_stop = 1; };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(number, &action, nullptr);
    }
}

void sample_until_the_end(SamplingSession& session, const std::optional<double>& duration) {
    constexpr std::uint64_t second = 1'000'000'000, between_readings = 10'000'000;
    const std::uint64_t end =
        duration ? monotonic_ns() + static_cast<std::uint64_t>(*duration * double{second}) : 0;
    while (!is_to_stop && session.any_runs()) {
        std::uint64_t pause = between_readings;
        if (const std::uint64_t now = monotonic_ns(); duration) {
            if (now >= end)
                return;
            pause = std::min(pause, end - now);
        }
        const timespec moment{0, static_cast<long>(pause)};
        nanosleep(&moment, nullptr);
        session.take_samples();
    }
}

void report(const SampledJob& job, const std::vector<std::string>& paths) {
    std::vector<std::string> pids;
    std::uint64_t samples = 0;
    for (const FinishedSamples* finished : job) {
        pids.push_back(std::to_string(finished->process->facts().pid));
        samples += finished->process->samples();
    }
    const FinishedSamples& first = *job.front();
    show("{} (process{} {}), {} sample{} in {:.1f} s{}:\n", first.process->facts().application,
         pids.size() == 1 ? "" : "es", joined(pids, ", "), samples, plural_s(samples),
         static_cast<double>(first.process->sampled_ns()) * 1e-9,
         first.end == SampleEnd::exec    ? ", then another program"
         : first.end == SampleEnd::ended ? ", ended"
                                         : ", still running");
    for (const std::string& path : paths)
        show("  {}\n", path);
}

int sample(const SampleArguments& arguments) {
    if (arguments.pids.empty() == arguments.job.empty())
        throw UsageError("sample: give process ids, or --job");
    check_output_directory(arguments.output);
    std::vector<std::int64_t> pids = arguments.pids;
    if (!arguments.job.empty())
        for (std::int32_t pid : processes_of_job_named(arguments.job))
            pids.push_back(pid);
    if (pids.empty())
        throw CommandError(
            fmt::format("no process of a job named \"{}\" runs on this host", arguments.job));
    constexpr double ns_per_ms = 1e6;
    constexpr std::uint32_t kib = 1024;
    SamplingSession session(static_cast<std::uint64_t>(arguments.interval * ns_per_ms),
                            static_cast<std::uint32_t>(arguments.stack) * kib);
    int status = status_ok;
    for (std::int64_t pid : pids)
        try {
            session.attach(static_cast<std::int32_t>(pid));
        } catch (const AttachError& error) {
            remark(error.what());
            status = status_failed;
        }
    if (!session.any_runs())
        return status_failed;
    stop_on_signals();
    if (!arguments.duration)
        remark(fmt::format("sampling until Ctrl-C or the end of {}",
                           pids.size() == 1 ? "the process" : "the processes"));
    sample_until_the_end(session, arguments.duration);
    std::vector<FinishedSamples> finished = session.finish();
    const Options options = load_configuration().options;
    for (const SampledJob& job : jobs_of(finished))
        try {
            report(job, write_sampled_job(job, options, arguments.output));
        } catch (const TreeFileError& error) {
            remark(error.what());
            status = status_failed;
        }
    return status;
}

}  // namespace

void add_sample_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("sample", "Profile a program that was started without vftrace");
    auto arguments = std::make_shared<SampleArguments>();
    command
        .add_option("PID", arguments->pids, "Process ids; ranks of one MPI job become one profile")
        .check(NumberCheck{"the id of a process", 1, 0x7fffffff})
        .type_name("");
    command
        .add_option("--job", arguments->job,
                    "All ranks on this host of the job that the launcher or the batch system "
                    "calls so")
        .type_name("ID");
    command
        .add_option("--duration", arguments->duration,
                    "How long (default: until Ctrl-C, or until the processes end)")
        .check(NumberCheck{"a number of seconds", 0, most_seconds})
        .type_name("SECONDS");
    command
        .add_option("--interval", arguments->interval,
                    "Milliseconds of a thread's processor time between two samples (default: 1)")
        .check(NumberCheck{"a number of milliseconds from 0.1 to 1000", 0.1, 1000})
        .type_name("MS");
    command
        .add_option("--stack", arguments->stack,
                    "KiB of a stack that are copied for each sample (default: 16)")
        .check(NumberCheck{"a number from 1 to 60", 1, SampleStream::most_stack_bytes / 1024})
        .type_name("KIB");
    command
        .add_option("--output", arguments->output,
                    "Directory for the logs (default: the working directory)")
        .type_name("DIR");
    command.callback([arguments, &status] { status = sample(*arguments); });
}

}  // namespace vftrace::tools
