// JSON lines for Extra-P (https://github.com/extra-p/extrap), which models how times grow with the
// number of ranks, or with any other quantity that differs between runs:
//
//   {"params":{"ranks":4},"callpath":"init->main->solve","metric":"time","value":1.5}
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/core.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

// Arrows in names (operator->) would be read as the next level.
std::string level_name(const std::string& display) {
    std::string name = name_on_one_line(display);
    for (std::size_t at = 0; (at = name.find("->", at)) != std::string::npos;)
        name.replace(at, 2, "- >");
    return name;
}

// A parameter, with a value for each profile.
struct Parameter {
    std::string name;
    std::vector<double> values;

    bool varies() const {
        return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) !=
               values.end();
    }
};

std::vector<Parameter> given_parameters(const std::vector<ExportParameter>& given,
                                        std::size_t files) {
    std::vector<Parameter> parameters;
    for (const ExportParameter& parameter : given) {
        std::vector<double> values = parameter.values;
        if (values.size() == 1)
            values.resize(files, values.front());
        if (values.size() != files)
            throw ExportError(fmt::format("--parameter {} has {} values for {} files",
                                          parameter.name, values.size(), files));
        for (const Parameter& other : parameters)
            if (other.name == parameter.name)
                throw ExportError(fmt::format("--parameter {} is given twice", parameter.name));
        parameters.push_back({parameter.name, std::move(values)});
    }
    return parameters;
}

// The parameters that have a value in all profiles, if the values differ.
std::vector<Parameter> recorded_parameters(const std::vector<const Profile*>& profiles) {
    std::vector<Parameter> parameters;
    for (const RunParameter& first : profiles.front()->run.parameters) {
        Parameter parameter{first.name, {}};
        for (const Profile* profile : profiles)
            if (const RunParameter* found = find_parameter(profile->run.parameters, first.name))
                parameter.values.push_back(found->value);
        if (parameter.values.size() == profiles.size() && parameter.varies())
            parameters.push_back(std::move(parameter));
    }
    return parameters;
}

// Extra-P requires the same parameters in all lines: those that differ, or the number of ranks.
std::vector<Parameter> found_parameters(const std::vector<const Profile*>& profiles) {
    Parameter ranks{"ranks", {}}, threads{"threads", {}};
    for (const Profile* profile : profiles) {
        ranks.values.push_back(profile->run.ranks);
        threads.values.push_back(profile->run.threads);
    }
    std::vector<Parameter> parameters = recorded_parameters(profiles);
    if (ranks.varies() || (!threads.varies() && parameters.empty()))
        parameters.push_back(std::move(ranks));
    if (threads.varies())
        parameters.push_back(std::move(threads));
    return parameters;
}

// The values written for a path: means over the ranks.
struct Figures {
    double seconds = 0, inclusive_seconds = 0, calls = 0, bytes_sent = 0, bytes_received = 0;
    std::map<std::string, double> metrics;  // by name
};
struct FigureName {
    const char* metric;
    double Figures::*value;
    bool always;  // otherwise only if it is not 0
};
constexpr FigureName figure_names[] = {
    {"time", &Figures::seconds, true},
    {"inclusive time", &Figures::inclusive_seconds, true},
    {"visits", &Figures::calls, true},
    {"bytes sent", &Figures::bytes_sent, false},
    {"bytes received", &Figures::bytes_received, false},
};

// Paths of functions with the same names are one path: otherwise Extra-P would treat them as
// repetitions.
std::map<std::string, Figures> figures_by_path(const Profile& profile) {
    std::map<std::string, Figures> figures;
    const double ranks = static_cast<double>(profile.summed_ranks());
    std::vector<std::string> texts(profile.paths.size());
    for (std::uint32_t i = 0; i < profile.paths.size(); i++) {
        const Path& path = profile.paths[i];
        const std::string name = level_name(profile.functions[path.function].display);
        texts[i] = path.parent == no_index ? name : texts[path.parent] + "->" + name;
        if (is_pause(profile, i))
            continue;
        Figures& sum = figures[texts[i]];
        sum.seconds += static_cast<double>(path.exclusive_ns) / 1e9 / ranks;
        sum.inclusive_seconds += static_cast<double>(path.inclusive_ns) / 1e9 / ranks;
        sum.calls += static_cast<double>(path.calls) / ranks;
    }
    for (const PathMessages& messages : profile.messages) {
        Figures& sum = figures[texts[messages.path]];
        sum.bytes_sent += static_cast<double>(messages.sent.bytes) / ranks;
        sum.bytes_received += static_cast<double>(messages.received.bytes) / ranks;
    }
    for (const AdditiveMetric& metric : additive_metrics(profile))
        for (std::uint32_t i = 0; i < profile.paths.size(); i++)
            if (metric.values[i] != 0)
                figures[texts[i]].metrics[metric.name] += metric.values[i] / ranks;
    return figures;
}

void write_profile(const Profile& profile, const std::string& parameters, ExportOutput& output) {
    for (const auto& [path, figures] : figures_by_path(profile)) {
        const std::string call_path = json_string(path);
        const auto write = [&](const std::string& metric, double value) {
            output.write(
                fmt::format("{{\"params\":{},\"callpath\":{},\"metric\":{},\"value\":{}}}\n",
                            parameters, call_path, json_string(metric), value));
        };
        for (const FigureName& figure : figure_names)
            if (const double value = figures.*figure.value; figure.always || value != 0)
                write(figure.metric, value);
        for (const auto& [metric, value] : figures.metrics)
            write(metric, value);
    }
}

}  // namespace

ExportParameter parse_export_parameter(const std::string& text) {
    const std::size_t equals = text.find('=');
    ExportParameter parameter{text.substr(0, equals), {}};
    if (equals == std::string::npos || equals == 0)
        throw ExportError(fmt::format("\"{}\" is not of the form NAME=VALUE[,VALUE]...", text));
    const std::string list = text.substr(equals + 1);
    for (const std::string_view word : split(list, ',')) {
        double value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
            throw ExportError(fmt::format("\"{}\" in \"{}\" is not a number", word, text));
        parameter.values.push_back(value);
    }
    return parameter;
}

void export_extrap(const ExportSource& source, ExportOutput& output) {
    std::vector<const Profile*> profiles;
    SourceProfiles all;
    Profile run_of_traces;
    if (source.traces.empty()) {
        all = profiles_of_source(source, output);
        profiles = all.profiles;
    } else {  // the ranks of one run
        run_of_traces = merged_profile_of_source(source, output);
        profiles = {&run_of_traces};
    }
    const std::vector<Parameter> parameters =
        source.parameters.empty() ? found_parameters(profiles)
                                  : given_parameters(source.parameters, profiles.size());
    if (profiles.size() > 1 && std::none_of(parameters.begin(), parameters.end(),
                                            [](const Parameter& p) { return p.varies(); }))
        output.remark("all files have the same values of the parameters: Extra-P treats them as "
                      "repetitions (give the values that differ with --parameter)");
    for (std::size_t i = 0; i < profiles.size(); i++) {
        std::string text;
        for (const Parameter& parameter : parameters)
            text += fmt::format("{}{}:{}", text.empty() ? "{" : ",", json_string(parameter.name),
                                parameter.values[i]);
        write_profile(*profiles[i], text + "}", output);
    }
}

}  // namespace vftrace
