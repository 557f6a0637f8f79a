// vftrace export: traces and profiles in the formats of other programs.
#include <algorithm>
#include <memory>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "code/sampled_lines.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/export_source.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/progress.hpp"
#include "commands/report_arguments.hpp"
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
};

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
        .required()
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
    command.footer(format_list() + examples);
    command.callback([arguments, &status] {
        export_files(*arguments);
        status = status_ok;
    });
}

}  // namespace vftrace::tools
