// vftrace export: traces and profiles in the formats of other programs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/utf8.hpp"
#include "export/export_format.hpp"
#include "tools/commands.hpp"
#include "tools/profile_file.hpp"
#include "tools/progress.hpp"

namespace vftrace::tools {
namespace {

struct ExportArguments {
    std::string format;
    std::string output;
    std::vector<std::string> files;
    std::vector<std::string> parameters;
};

// vfd files begin with their version, traces that were not finished with their magic.
bool is_profile(const std::string& file) {
    char first = 0;
    std::ifstream(profile_file(file), std::ios::binary) >> first;  // leaves out white space
    return first == '{';
}

std::string format_list() {
    std::string list = "Formats:\n";
    for (const ExportFormat& format : export_formats()) {
        const char* source = format.from_profile && format.from_trace ? "trace, profile"
                             : format.from_profile                    ? "profile"
                                                                      : "trace";
        list += fmt::format(
            "  {:<11} {}\n  {:<11}   from: {}{}\n", format.name, format.meaning, "", source,
            format.write ? std::string()
                         : fmt::format("; not in this build, which lacked {}", format.package));
    }
    return list;
}

constexpr const char* examples = R"(
Examples:
  vftrace export --format perfetto heat_*.vfd         all ranks of one run
  vftrace export --format speedscope heat_all.json    a profile
  vftrace export --format chrome -o - heat_0.vfd | gzip >heat.json.gz

FILE: traces (*.vfd), one a rank of the same run, or profiles (*.json). Without --output the
result lies beside the first FILE, with a suffix of its own.)";

const ExportFormat& wanted_format(const std::string& name) {
    const ExportFormat* format = find_export_format(name);
    if (!format) {
        std::string names;
        for (const ExportFormat& known : export_formats())
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        throw CommandError(
            fmt::format("there is no format \"{}\", but {}", printable(name), names));
    }
    if (!format->write)
        throw CommandError(fmt::format(
            "the format {} is not in this build of vftrace; its configure did not find {}", name,
            format->package));
    return *format;
}

void check_same_run(const VfdFile& first, const VfdFile& other) {
    const std::int32_t first_count = first.header().numbers.processes;
    const std::int32_t other_count = other.header().numbers.processes;
    if (first_count != other_count)
        throw CommandError(fmt::format("{} is of a run of {} processes, {} of one of {}",
                                       first.path(), first_count, other.path(), other_count));
    const std::optional<VfdClock>&a = first.extension().clock, &b = other.extension().clock;
    if (!a || !b)
        return;
    // The clocks of hosts differ by less.
    constexpr double slack_s = 60.0;
    auto begins_after = [](const VfdClock& later, const VfdClock& clock, const VfdFile& file) {
        return static_cast<double>(later.start_unix_ns) * 1e-9 >
               static_cast<double>(clock.start_unix_ns) * 1e-9 + file.header().numbers.runtime_s +
                   slack_s;
    };
    if (begins_after(*b, *a, first) || begins_after(*a, *b, other))
        throw CommandError(fmt::format("{} and {} are of different runs: one had ended before the "
                                       "other began",
                                       first.path(), other.path()));
}

void remark(const std::string& text) { fmt::print(stderr, "vftrace: {}\n", text); }

void tell_missing_ranks(const std::vector<std::unique_ptr<VfdFile>>& traces) {
    const std::int32_t processes = traces.front()->header().numbers.processes;
    const auto missing = static_cast<std::size_t>(processes) - traces.size();
    if (missing == 0)
        return;
    // The first one is told: enough to look for the file.
    std::int32_t absent = 0;
    for (const std::unique_ptr<VfdFile>& trace : traces)
        if (trace->header().numbers.rank == absent)
            absent++;
    remark(fmt::format("traces of {} of {} ranks are missing, the first is that of rank {}",
                       missing, processes, absent));
}

std::vector<std::unique_ptr<VfdFile>> open_traces(const std::vector<std::string>& files) {
    std::vector<std::unique_ptr<VfdFile>> traces;
    traces.reserve(files.size());
    for (const std::string& file : files)
        traces.push_back(std::make_unique<VfdFile>(file));
    for (const std::unique_ptr<VfdFile>& trace : traces)
        check_same_run(*traces.front(), *trace);
    auto rank_of = [](const std::unique_ptr<VfdFile>& trace) {
        return trace->header().numbers.rank;
    };
    std::stable_sort(traces.begin(), traces.end(),
                     [&](const auto& a, const auto& b) { return rank_of(a) < rank_of(b); });
    for (std::size_t i = 1; i < traces.size(); i++)
        if (rank_of(traces[i]) == rank_of(traces[i - 1]))
            throw CommandError(fmt::format("{} and {} are both the trace of rank {}",
                                           traces[i - 1]->path(), traces[i]->path(),
                                           rank_of(traces[i])));
    tell_missing_ranks(traces);
    return traces;
}

ExportSource open_source(const ExportFormat& format, const std::vector<std::string>& files) {
    const auto profiles = std::count_if(files.begin(), files.end(), is_profile);
    const bool all = static_cast<std::size_t>(profiles) == files.size();
    if (profiles > 0 && !all)
        throw CommandError("profiles and traces cannot be exported together");
    if (all && !format.from_profile)
        throw CommandError(fmt::format("the format {} is made from traces (*.vfd); {} is a profile",
                                       format.name, files.front()));
    if (!all && !format.from_trace)
        throw CommandError(fmt::format("the format {} is made from profiles (*.json); {} is none",
                                       format.name, files.front()));
    if (all && files.size() > 1 && !format.several_profiles)
        throw CommandError(
            fmt::format("the format {} is made from one profile at a time", format.name));
    ExportSource source;
    if (!all) {
        source.traces = open_traces(files);
        return source;
    }
    source.profile_names = files;
    for (const std::string& file : files)
        source.profiles.push_back(read_profile(file));
    return source;
}

// "out/heat_0.vfd" -> "out/heat_0.trace.json"; of several files what their names have in common.
std::string default_output(const ExportFormat& format, const std::vector<std::string>& files) {
    const std::filesystem::path first(files.front());
    std::string name = first.stem().string();
    for (const std::string& file : files) {
        const std::string other = std::filesystem::path(file).stem().string();
        name.erase(std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first,
                   name.end());
    }
    if (files.size() > 1)
        name.erase(name.find_last_not_of("_-.0123456789") + 1);
    if (name.empty())
        name = "vftrace";
    return (first.parent_path() / (name + format.suffix)).string();
}

void check_output(const std::string& output, const std::vector<std::string>& files) {
    for (const std::string& file : files) {
        std::error_code error;
        if (std::filesystem::equivalent(file, output, error) && !error)
            throw CommandError(fmt::format("{} would be overwritten by its own export", file));
    }
}

void export_files(const ExportArguments& arguments) {
    const ExportFormat& format = wanted_format(arguments.format);
    if (!arguments.parameters.empty() && arguments.format != "extrap")
        throw CommandError(fmt::format("--parameter has no meaning with {}", arguments.format));
    ExportSource source = open_source(format, arguments.files);
    for (const std::string& parameter : arguments.parameters)
        source.parameters.push_back(parse_export_parameter(parameter));
    const std::string name =
        arguments.output.empty() ? default_output(format, arguments.files) : arguments.output;
    const bool to_stdout = name == "-";
    if (!to_stdout)
        check_output(name, arguments.files);

    ExportOutput output(name, format.target);
    {
        Progress progress(name, !to_stdout);
        constexpr double steps = 1 << 16;
        output.on_progress = [&](double share) {
            progress.update(static_cast<std::uint64_t>(share * steps),
                            static_cast<std::uint64_t>(steps));
        };
        output.on_remark = remark;
        format.write(source, output);
    }
    output.finish();
    if (!to_stdout)
        fmt::print("{}\n", name);
}

}  // namespace

void add_export_command(CLI::App& app, int& status) {
    CLI::App* command =
        app.add_subcommand("export", "Write a trace or profile in the format of another program");
    auto arguments = std::make_shared<ExportArguments>();
    command->add_option("FILE", arguments->files, "Traces of one run, or profiles")
        ->required()
        ->type_name("");
    command->add_option("-f,--format", arguments->format, "What to write, see below")
        ->required()
        ->type_name("FORMAT");
    command->add_option("-o,--output", arguments->output, "Where to write it; - is standard output")
        ->type_name("FILE");
    command
        ->add_option(
            "--parameter", arguments->parameters,
            "For extrap: what was varied, with a value for each FILE in their order; may be "
            "repeated")
        ->type_name("NAME=VALUE[,VALUE]...")
        ->allow_extra_args(false);
    command->footer(format_list() + examples);
    command->callback([arguments, &status] {
        export_files(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
