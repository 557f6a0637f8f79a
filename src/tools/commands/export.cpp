// vftrace export: traces and profiles in the formats of other programs.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/random.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/descriptor.hpp"
#include "base/output_file.hpp"
#include "base/utf8.hpp"
#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/export_source.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/progress.hpp"
#include "commands/report_arguments.hpp"
#include "export/anonymity.hpp"
#include "export/csv_quoted.hpp"
#include "export/export_format.hpp"

namespace vftrace::tools {
namespace {

struct ExportArguments {
    std::string format;
    std::string output;
    std::vector<std::string> files;
    std::vector<std::string> parameters;
    std::vector<std::string> source_map;
    std::string module;
    bool inlines = false;
    bool anonymise = false;
    std::string key, names;  // files
};

// The bytes of the key; a new one is made if there is no such file.
std::string secret_of(const std::string& file) {
    constexpr std::size_t most_bytes = 4096;
    const Descriptor existing(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (existing.is_open()) {
        std::string secret(most_bytes, '\0');
        int error = 0;
        secret.resize(read_at(existing, 0, secret.data(), secret.size(), error));
        if (error != 0)
            throw CommandError(fmt::format("{}: {}", file, std::strerror(error)));
        if (secret.size() < shortest_secret)
            throw CommandError(fmt::format("{}: a key has at least {} bytes that nobody can guess",
                                           file, shortest_secret));
        return secret;
    }
    if (errno != ENOENT)
        throw CommandError(fmt::format("{}: {}", file, std::strerror(errno)));
    constexpr mode_t for_user_alone = 0600;
    std::string secret(2 * shortest_secret, '\0');
    const Descriptor made(
        open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_user_alone));
    if (!made.is_open() ||
        getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()) ||
        write(made, secret.data(), secret.size()) != static_cast<ssize_t>(secret.size()))
        throw CommandError(fmt::format("{}: {}", file, std::strerror(errno)));
    remark(fmt::format("{} is a new key: keep it for yourself", file));
    return secret;
}

// As comma-separated values (RFC 4180).
void write_names(const std::string& file, const std::map<std::string, std::string>& names) {
    OutputFile out(file);
    out.write("anonymous,name\n");
    for (const auto& [anonymous, name] : names)
        out.write(fmt::format("{},{}\n", anonymous, csv_quoted(printable(name))));
    if (const int error = out.close(); error != 0)
        throw CommandError(fmt::format("{}: {}", file, std::strerror(error)));
}

void anonymise_source(const ExportArguments& arguments, ExportSource& source) {
    if (source.profiles.empty())
        throw CommandError("--anonymise can be used only with profiles");
    std::map<std::string, std::string> names;
    const AnonymityKey key = anonymity_key(secret_of(arguments.key));
    for (Profile& profile : source.profiles)
        anonymise(profile, key, names);
    for (std::size_t i = 0; i < source.profile_names.size(); i++)
        source.profile_names[i] = fmt::format("profile_{}", i + 1);
    if (!arguments.names.empty())
        write_names(arguments.names, names);
}

std::string format_list() {
    std::string list = "Formats:\n";
    for (const ExportFormat& format : export_formats()) {
        const char* source = format.from_profile && format.from_trace ? "trace, profile"
                             : format.from_profile                    ? "profile"
                                                                      : "trace";
        list += fmt::format(
            "  {:<14} {}\n  {:<14}   from: {}{}\n", format.name, format.meaning, "", source,
            format.write
                ? std::string()
                : fmt::format("; not available: vftrace was built without {}", format.package));
    }
    return list;
}

constexpr const char* examples = R"(
Examples:
  vftrace export --format perfetto heat_*.vfd         all ranks of one run
  vftrace export --format speedscope heat_all.json    a profile
  vftrace export --format chrome -o - heat_0.vfd | gzip >heat.json.gz

FILE: traces (*.vfd), one per rank of the same run, or profiles (*.json). Without --output the
result is written next to the first FILE, with the suffix of the format.)";

const ExportFormat& wanted_format(const std::string& name) {
    const ExportFormat* format = find_export_format(name);
    if (!format) {
        std::string names;
        for (const ExportFormat& known : export_formats())
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        throw CommandError(
            fmt::format("\"{}\" is not a format; the formats are {}", printable(name), names));
    }
    if (!format->write)
        throw CommandError(fmt::format(
            "the format {} is not available: vftrace was built without {}", name, format->package));
    return *format;
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
        throw CommandError(
            fmt::format("the format {} is made from profiles (*.json); {} is not a profile",
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

void export_files(const ExportArguments& arguments) {
    const ExportFormat& format = wanted_format(arguments.format);
    if (!arguments.parameters.empty() && !arguments.format.starts_with("extrap"))
        throw CommandError(fmt::format("--parameter cannot be used with {}", arguments.format));
    if (!arguments.module.empty() && !arguments.format.ends_with("-order"))
        throw CommandError(fmt::format("--module cannot be used with {}", arguments.format));
    ExportSource source = open_source(format, arguments.files);
    source.source_map = SourceMap(arguments.source_map);
    source.module = arguments.module;
    if (arguments.inlines && source.profiles.empty())
        throw CommandError("--inlines can be used only with profiles");
    for (Profile& profile : source.profiles) {
        if (!arguments.inlines)
            break;
        if (profile.addresses.empty())
            throw CommandError(no_addresses);
        profile = with_inlined_functions(profile, SampledLines(profile, source.source_map));
        profile.thread_paths.clear();  // the shares of threads in inlined functions are not known
    }
    if (arguments.anonymise)
        anonymise_source(arguments, source);
    for (const std::string& parameter : arguments.parameters)
        source.parameters.push_back(parse_export_parameter(parameter));
    const std::string name = arguments.output.empty()
                                 ? default_output(format.suffix, arguments.files)
                                 : arguments.output;
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
        show("{}\n", name);
}

}  // namespace

void add_export_command(const Command& app, int& status) {
    const Command command =
        app.add_subcommand("export", "Convert traces and profiles to formats of other programs");
    auto arguments = std::make_shared<ExportArguments>();
    command.add_option("FILE", arguments->files, "Traces of one run, or profiles")
        .required()
        .type_name("");
    command.add_option("-f,--format", arguments->format, "Format to write, see below")
        .type_name("FORMAT");
    command.add_option("-o,--output", arguments->output, "Where to write it; - is standard output")
        .type_name("FILE");
    command
        .add_option(
            "--parameter", arguments->parameters,
            "For Extra-P: a parameter and its value for each FILE, in the order of the files, "
            "or one value for all; may be repeated")
        .type_name("NAME=VALUE[,VALUE]...")
        .one_value();
    command.add_flag("--inlines", arguments->inlines,
                     "Profiles: inlined functions as call paths, by the samples that were taken in "
                     "their code");
    command
        .add_option("--source-map", arguments->source_map,
                    "Programs and sources below OLD are below NEW here; may be repeated")
        .check(error_in_source_map)
        .one_value()
        .type_name("OLD=NEW");
    command
        .add_option("--module", arguments->module,
                    "For orders of functions: of this library, by the name of its file, instead of "
                    "the program")
        .type_name("NAME");
    command.add_flag("--anonymise", arguments->anonymise,
                     "Profiles: replace the names of functions, files, hosts, arguments and "
                     "whatever else is the program's by keyed hashes; without --format as JSON");
    command
        .add_option("--key", arguments->key,
                    "With --anonymise: the file of the key, at least 16 bytes; it is made if it "
                    "does not exist")
        .type_name("FILE");
    command
        .add_option("--names", arguments->names,
                    "With --anonymise: write the table of the new and the old names, for yourself")
        .type_name("FILE");
    command.footer(format_list() + examples);
    command.callback([arguments, &status] {
        if (arguments->anonymise == arguments->key.empty())
            throw UsageError("export: --anonymise needs --key, and --key needs --anonymise");
        if (!arguments->names.empty() && !arguments->anonymise)
            throw UsageError("export: --names needs --anonymise");
        if (arguments->format.empty() && !arguments->anonymise)
            throw UsageError("export: --format is required");
        if (arguments->format.empty())
            arguments->format = "json";
        export_files(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
