#include "commands/file_facts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sys/stat.h>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "commands/commands.hpp"
#include "readers/profile_json_reader.hpp"
#include "record/trace_file.hpp"
#include "recover/file_image.hpp"
#include "vfd/vfd_format.hpp"

namespace vftrace::tools {

Fact text_fact(const char* key, const char* label, std::string_view value) {
    return {key, label, printable(value), json_string(value)};
}

Fact count_fact(const char* key, const char* label, std::int64_t value) {
    return {key, label, std::to_string(value), std::to_string(value)};
}

void FileFacts::add_text(const char* key, const char* label, std::string_view value) {
    if (!value.empty())
        facts.push_back(text_fact(key, label, value));
}

void FileFacts::add_count(const char* key, const char* label, std::uint64_t value) {
    facts.push_back({key, label, std::to_string(value), std::to_string(value)});
}

void FileFacts::add_bytes(const char* key, const char* label, std::uint64_t value) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double amount = static_cast<double>(value);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < std::size(units); unit++)
        amount /= 1024;
    facts.push_back(
        {key, label,
         unit == 0 ? fmt::format("{} B", value) : fmt::format("{:.1f} {}", amount, units[unit]),
         std::to_string(value)});
}

void FileFacts::add_seconds(const char* key, const char* label, double seconds) {
    if (std::isfinite(seconds))
        facts.push_back({key, label, fmt::format("{:.3f} s", seconds), fmt::format("{}", seconds)});
}

void FileFacts::add_time(const char* key, const char* label, std::int64_t unix_ns) {
    const std::time_t seconds = static_cast<std::time_t>(unix_ns / 1'000'000'000);
    std::tm fields{};
    char text[64];
    if (unix_ns <= 0 || !localtime_r(&seconds, &fields) ||
        std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &fields) == 0)
        return;
    facts.push_back({key, label, text, json_string(text)});
}

namespace {

FileFacts facts_of_profile(const std::string& path) {
    const Profile profile = read_profile_json(path);
    const RunInfo& run = profile.run;
    FileFacts result{path, "profile", "profile (JSON)", {}, {}};
    result.add_text("program", "Program", run.application);
    result.add_text("command_line", "Command line", run.command_line);
    result.add_text("host", "Host", run.host);
    result.add_count("pid", "Process", static_cast<std::uint64_t>(run.pid));
    result.add_count("rank", run.uses_mpi ? "Rank" : "", run.rank);
    result.add_count("ranks", run.uses_mpi ? "Ranks of the run" : "", run.ranks);
    result.add_count("ranks_in_file", run.uses_mpi ? "Ranks in the file" : "",
                     static_cast<std::uint64_t>(profile.summed_ranks()));
    result.add_count("threads", "Threads", run.threads);
    result.add_count("gpus", profile.gpu_devices.empty() ? "" : "GPUs", profile.gpu_devices.size());
    const auto devices = static_cast<std::uint64_t>(
        std::count_if(profile.construct_devices.begin(), profile.construct_devices.end(),
                      [](const ConstructDeviceFigures& device) { return !device.is_host; }));
    result.add_count("offload_devices", devices == 0 ? "" : "Offload devices", devices);
    result.add_time("start", "Started", run.start_unix_ns);
    result.add_time("end", "Ended", run.end_unix_ns);
    result.add_text("ended_by", "Ended by", run.ended);
    result.add_text("parameters", "Parameters", text_of(run.parameters));
    result.add_seconds("run_time_s", "Run time", static_cast<double>(run.runtime_ns) * 1e-9);
    std::uint64_t calls = 0;
    for (const Path& profiled : profile.paths)
        calls += profiled.calls;
    result.add_count("functions", "Functions", profile.functions.size());
    result.add_count("paths", "Call paths", profile.paths.size());
    result.add_count("calls", "Calls", calls);
    result.add_count("warnings", run.notices.empty() ? "" : "Warnings", run.notices.size());
    FactTable modules{"modules", "Modules", {}};
    for (const Module& module : profile.modules)
        modules.rows.push_back({text_fact("build_id", "Build-id", module.build_id),
                                text_fact("path", "File", module.path)});
    result.tables.push_back(std::move(modules));
    return result;
}

std::vector<RunParameter> parameters_of(const FileImage& image) {
    std::vector<RunParameter> parameters;
    const RecordList<ParameterRecord>& list = image.record().parameters;
    const auto first = reinterpret_cast<std::uint64_t>(list.items);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(list.count, most_parameters); i++) {
        ParameterRecord record;
        if (!image.read(first + i * sizeof record, record))
            break;
        record.name[longest_parameter_name] = '\0';
        add_parameter(parameters, {record.name, record.value});
    }
    return parameters;
}

FileFacts facts_of_tree_file(const std::string& path) {
    constexpr std::size_t longest_text = 65536;
    const FileImage image = FileImage::of_file(path);
    const ProcessRecord& record = image.record();
    FileFacts result{
        path, "tree", "call trees of a process (\"vftrace recover\" writes its profile)", {}, {}};
    auto add_text = [&](const char* key, const char* label, const char* pointer) {
        result.add_text(key, label, image.text(pointer, longest_text).value_or(""));
    };
    add_text("program", "Program", record.application);
    add_text("command_line", "Command line", record.command_line);
    add_text("host", "Host", record.host);
    result.add_count("pid", "Process", static_cast<std::uint64_t>(record.pid));
    result.add_count("rank", record.uses_mpi ? "Rank" : "", record.rank);
    result.add_count("ranks", record.uses_mpi ? "Ranks of the run" : "", record.ranks);
    result.add_count("threads", "Threads", record.thread_count);
    result.add_text("parameters", "Parameters", text_of(parameters_of(image)));
    result.add_time("start", "Started", record.start_unix_ns);
    result.add_bytes("bytes", "Size", image.size());
    return result;
}

// The figures at the head of a log: "Total runtime:            0.22 s".
FileFacts facts_of_text_log(const std::string& path, std::string_view begin) {
    struct Line {
        std::string_view start;
        const char *key, *label;
    };
    constexpr Line known_lines[] = {
        {"Runtime profile for application:", "program", "Program"},
        {"Start Date:", "start", "Started"},
        {"End Date:", "end", "Ended"},
        {"Ended by:", "ended_by", "Ended by"},
        {"Nr. of MPI ranks:", "ranks", "Ranks of the run"},
        {"Total runtime:", "run_time", "Run time"},
        {"Application time:", "application_time", "Application time"},
    };
    FileFacts result{path, "text-log", "text log", {}, {}};
    const std::vector<std::string_view> lines = split(begin, '\n');
    result.add_text("written_by", "Written by", trim(lines.front()));
    for (const std::string_view line : lines)
        for (const Line& known : known_lines)
            if (line.starts_with(known.start))
                result.add_text(known.key, known.label, trim(line.substr(known.start.size())));
    return result;
}

bool is_text_log(std::string_view begin) {
    return (begin.starts_with("vftrace ") || begin.starts_with("Vftrace ")) &&
           begin.find("\nRuntime profile for application:") != std::string_view::npos;
}

}  // namespace

FileFacts facts_of_file(const std::string& path) {
    std::array<char, 8192> buffer;
    struct stat status;
    if (stat(path.c_str(), &status) != 0)
        throw CommandError(fmt::format("{}: {}", path, std::strerror(errno)));
    if (!S_ISREG(status.st_mode))
        throw CommandError(fmt::format("{}: is not a regular file", path));
    std::ifstream file(path, std::ios::binary);
    file.read(buffer.data(), buffer.size());
    if (!file.is_open() || file.bad())
        throw CommandError(fmt::format("{}: {}", path, std::strerror(errno)));
    const std::string_view begin(buffer.data(), static_cast<std::size_t>(file.gcount()));

    if (begin.starts_with(std::string_view(chunk_magic, sizeof chunk_magic)))
        return facts_of_unfinished_trace(path);
    if (begin.starts_with(std::string_view(process_record_magic, sizeof process_record_magic)))
        return facts_of_tree_file(path);
    if (is_text_log(begin))
        return facts_of_text_log(path, begin);
    if (trim(begin).starts_with('{'))
        return facts_of_profile(path);
    std::int32_t version = 0;
    if (begin.size() >= sizeof version)
        std::memcpy(&version, begin.data(), sizeof version);
    const auto swapped =
        static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(version)));
    if ((version > 0 && version < 100) || swapped == vfd_version)
        return facts_of_vfd_file(path);
    throw CommandError(
        fmt::format("{}: is {}", path, begin.empty() ? "empty" : "not a file of vftrace"));
}

}  // namespace vftrace::tools
