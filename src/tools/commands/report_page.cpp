#include "commands/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/core.h>

#include "code/line_table.hpp"
#include "code/sampled_lines.hpp"
#include "commands/commands.hpp"
#include "commands/export_source.hpp"
#include "commands/foreign_text.hpp"
#include "commands/profile_file.hpp"
#include "commands/waits_of_traces.hpp"
#include "page/page_models.hpp"
#include "page/report_page.hpp"
#include "readers/json_document.hpp"
#include "waits/run_traces.hpp"

namespace vftrace::tools {
namespace {

// The names of the files, with folders that distinguish files with equal names.
std::vector<std::string> labels_of(const std::vector<std::string>& files) {
    std::vector<std::string> labels;
    labels.reserve(files.size());
    for (const std::string& file : files)
        labels.push_back(std::filesystem::path(file).filename().string());
    std::vector<std::string> sorted = labels;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end())
        return labels;
    for (std::size_t i = 0; i < files.size(); i++)
        labels[i] = (std::filesystem::path(files[i]).parent_path().filename() / labels[i]).string();
    return labels;
}

// The files by the kind of their content.
struct PageFiles {
    std::vector<std::string> profiles, traces, models;
};

PageFiles sorted_by_content(const std::vector<std::string>& files) {
    PageFiles result;
    for (const std::string& file : files) {
        if (!is_profile(file)) {
            result.traces.push_back(file);
            continue;
        }
        std::string begin(256, '\0');
        std::ifstream stream(file, std::ios::binary);
        stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
        begin.resize(static_cast<std::size_t>(stream.gcount()));
        (is_models(begin) ? result.models : result.profiles).push_back(file);
    }
    return result;
}

// Adds the waits of the traces to the profile of the same run, if it does not have any yet. A page
// of traces that cannot be analysed still shows the traces.
void add_waits(const std::vector<std::string>& traces, ReportPage& page) {
    constexpr auto is_without = [](const Profile& profile) {
        return profile.ranks.size() > 1 && profile.critical_path.empty();
    };
    if (std::none_of(page.profiles.begin(), page.profiles.end(), is_without))
        return;
    try {
        const WaitAnalysis analysis = analyse_traces(traces);
        for (Profile& profile : page.profiles)
            if (is_without(profile) && is_of_same_run(analysis, profile))
                add_to_profile(analysis, profile);
    } catch (const WaitsError& error) {
        remark(fmt::format("the page does not have wait states: {}", error.what()));
    }
}

// Looks up the lines of a profile, and shows inlined functions if that is wanted.
std::vector<PageLine> look_up_lines(const PageArguments& arguments, Profile& profile) {
    if (profile.addresses.empty() && arguments.inlines)
        throw CommandError(no_addresses);
    if (profile.addresses.empty())
        return {};
    const SampledLines lines(profile, SourceMap(arguments.source_map));
    std::vector<PageLine> result;
    for (const LineOfFunction& line : lines_of_functions(profile, lines))
        result.push_back({line.file, line.line, line.function, line.samples, std::llround(line.ns),
                          std::llround(line.with_inlined_ns)});
    for (const std::string& problem : lines.problems())
        remark(problem);
    if (arguments.inlines)
        profile = with_inlined_functions(profile, lines);
    return result;
}

}  // namespace

void write_page(const std::vector<std::string>& files, const PageArguments& arguments) {
    const auto [profiles, traces, models] = sorted_by_content(files);
    ReportPage page;
    page.source_folders = arguments.source_folders;
    for (const std::string& folder : page.source_folders)
        if (!std::filesystem::is_directory(folder))
            throw CommandError(fmt::format("--sources {}: no such directory", folder));
    page.anonymous = arguments.anonymous;
    if (profiles.empty())
        throw CommandError(fmt::format("a report page needs profiles (*_all.json), to which "
                                       "traces and models may be added; {} is {}",
                                       (traces.empty() ? models : traces).front(),
                                       traces.empty() ? "a document of models" : "a trace"));
    if (!traces.empty())
        page.traces.traces = open_traces(traces);
    const std::string output =
        arguments.output.empty() ? default_output(".html", profiles) : arguments.output;
    const bool to_stdout = output == "-";
    if (!to_stdout)
        check_output(output, files);
    page.labels = labels_of(profiles);
    for (std::size_t i = 0; i < profiles.size(); i++) {
        page.profiles.push_back(read_profile(profiles[i]));
        page.lines.push_back(look_up_lines(arguments, page.profiles.back()));
        page.regions.push_back(
            option_of_run(page.profiles.back(), "efficiency", "regions").value_or(""));
        if (arguments.anonymous)
            page.labels[i] = fmt::format("run {}", i + 1);
    }
    const std::vector<std::string> model_labels = labels_of(models);
    page.models.reserve(models.size());
    for (std::size_t i = 0; i < models.size(); i++)
        page.models.push_back(
            {models[i], arguments.anonymous ? fmt::format("models {}", i + 1) : model_labels[i],
             text_of_file(models[i])});
    if (!traces.empty())
        add_waits(traces, page);

    ExportOutput out(output, ExportTarget::file);
    out.on_remark = remark;
    write_report_page(page, out);
    out.finish();
    if (!to_stdout)
        show("{}\n", output);
}

}  // namespace vftrace::tools
