// vftrace dump: prints a vfd file.
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

#include "base/output_file.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/progress.hpp"
#include "commands/vfd_text.hpp"

namespace vftrace::tools {
namespace {

struct DumpArguments {
    std::string file, output;
    bool header = false, without_samples = false, all_threads = false, symbols = false;
    int thread = -1;
    double from_s = 0, to_s = INFINITY;
};

std::int64_t nanoseconds(double seconds) {
    const double ns = std::round(seconds * 1e9);
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return ns < static_cast<double>(most) ? static_cast<std::int64_t>(ns) : most;
}

void write_samples(const VfdFile& file, const DumpArguments& arguments, VfdText& text) {
    const VfdPeriod period{nanoseconds(arguments.from_s), nanoseconds(arguments.to_s)};
    Progress progress(file.path(), !arguments.output.empty() || !isatty(STDOUT_FILENO));
    const VfdProgress update = [&](std::uint64_t done, std::uint64_t total) {
        progress.update(done, total);
    };
    if (arguments.thread >= 0) {
        const auto thread = static_cast<std::uint32_t>(arguments.thread);
        text.write_samples_of(thread, true, period, update);
        text.write_call_samples_of(thread, period);
        text.write_task_moments_of(thread, period);
        return;
    }
    text.write_samples(period, update);
    text.write_call_samples_of(0, period);
    text.write_task_moments_of(0, period);
    text.write_device_work(period, update);
    for (std::uint32_t i = 1; arguments.all_threads && i < file.threads().size(); i++) {
        Progress of_thread(fmt::format("thread {}", i),
                           !arguments.output.empty() || !isatty(STDOUT_FILENO));
        text.write_samples_of(i, false, period, [&](std::uint64_t done, std::uint64_t total) {
            of_thread.update(done, total);
        });
        text.write_call_samples_of(i, period);
        text.write_task_moments_of(i, period);
    }
}

void dump(const DumpArguments& arguments) {
    const VfdFile file(arguments.file);
    if (arguments.thread >= 0 &&
        static_cast<std::size_t>(arguments.thread) >= file.threads().size())
        throw CommandError(fmt::format("{}: does not have a thread {}: it has {}", arguments.file,
                                       arguments.thread, file.threads().size()));
    auto out = arguments.output.empty() ? std::make_unique<OutputFile>(STDOUT_FILENO)
                                        : std::make_unique<OutputFile>(arguments.output);
    VfdText text(file, *out, arguments.symbols ? VfdText::Names::stored : VfdText::Names::readable);
    auto write = [&] {
        text.write_header();
        if (arguments.all_threads)
            text.write_thread_tree();
        if (arguments.header)
            return;
        text.write_stacks();
        text.write_tracks();
        if (!arguments.without_samples)
            write_samples(file, arguments, text);
        text.write_counters();
    };
    write();
    const int error = out->close();
    // EPIPE: the reader of the output has closed it, which is not an error.
    if (error != 0 && !(error == EPIPE && arguments.output.empty()))
        throw CommandError(
            fmt::format("{}: {}", arguments.output.empty() ? "standard output" : arguments.output,
                        std::strerror(error)));
}

}  // namespace

void add_dump_command(const Command& app, int& status) {
    const Command command = app.add_subcommand("dump", "Print a trace as text");
    auto arguments = std::make_shared<DumpArguments>();
    command.add_option("FILE", arguments->file, "vfd file, of vftrace or Vftrace 2.0")
        .required()
        .type_name("");
    command
        .add_option("--output,-o", arguments->output,
                    "Write to this file instead of standard output")
        .type_name("FILE");
    const Option header = command.add_flag("--header", arguments->header, "Print only the header");
    const Option no_samples = command.add_flag("--no-samples", arguments->without_samples,
                                               "Print only the header and the call paths");
    const Option threads = command.add_flag(
        "--threads", arguments->all_threads,
        "Also print which thread created which, and at the end the samples of the other threads");
    command.add_flag("--symbols", arguments->symbols, "Print the mangled names of C++ functions");
    const Option thread =
        command
            .add_option("--thread", arguments->thread,
                        "Print only the samples of this thread, with its messages")
            .check(NumberCheck{"the number of a thread", 0, 1e9})
            .type_name("N");
    const Option from =
        command
            .add_option(
                "--from", arguments->from_s,
                "Print only samples from this time on, and messages that were in flight then")
            .check(NumberCheck{"a number of seconds", 0, 1e9})
            .type_name("SECONDS");
    const Option to =
        command
            .add_option("--to", arguments->to_s,
                        "Print only samples up to this time, and messages that were in flight then")
            .check(NumberCheck{"a number of seconds", 0, 1e9})
            .type_name("SECONDS");
    command.footer(R"(Examples:
  vftrace dump heat_0.vfd | less
  vftrace dump heat_0.vfd --from 1.5 --to 1.6 --thread 2
  vftrace dump heat_0.vfd --no-samples         the call paths only)");
    // Options that cannot be combined.
    const std::vector<std::pair<Option, Option>> contradictions{
        {no_samples, header}, {thread, threads},    {thread, header},   {from, header},
        {to, header},         {thread, no_samples}, {from, no_samples}, {to, no_samples}};
    command.callback([arguments, contradictions, &status] {
        for (const auto& [first, second] : contradictions)
            if (first.given() && second.given())
                throw CommandError(
                    fmt::format("{} cannot be used with {}", first.name(), second.name()));
        if (arguments->to_s < arguments->from_s)
            throw CommandError("--to is before --from");
        dump(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
