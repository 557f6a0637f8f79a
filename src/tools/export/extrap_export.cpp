// Files for Extra-P (https://github.com/extra-p/extrap), which models how times grow with the
// number of ranks, or with any other quantity that differs between runs. Its formats:
//
//   JSON lines  {"params":{"ranks":4},"callpath":"init->main->solve","metric":"time","value":1.5}
//   JSON        {"parameters":["ranks"],"measurements":{"init->main":{"time":[{"point":[4],
//               "values":[1.5]}]}}}
//   text        PARAMETER, POINTS, then REGION, METRIC and a line of DATA for each point
//   Talpas      JSON lines with other names, and semicolons instead of commas
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/json_string.hpp"
#include "base/text.hpp"
#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"
#include "readers/measurements.hpp"

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

// Adds the figures of a profile at this point.
void add_profile(const Profile& profile, const std::vector<double>& point, Measurements& all) {
    for (const auto& [path, figures] : figures_by_path(profile)) {
        const auto add = [&, &path = path](const std::string& metric, double value) {
            all.figures.push_back({path, metric, point, {value}});
        };
        for (const FigureName& figure : figure_names)
            if (const double value = figures.*figure.value; figure.always || value != 0)
                add(figure.metric, value);
        for (const auto& [metric, value] : figures.metrics)
            add(metric, value);
    }
}

// ---- formats ------------------------------------------------------------------------------------

void write_lines(const Measurements& all, ExportOutput& output) {
    for (const Measurements::Figure& figure : all.figures) {
        std::string parameters;
        for (std::size_t i = 0; i < all.parameters.size(); i++)
            parameters += fmt::format("{}{}:{}", i == 0 ? "{" : ",", json_string(all.parameters[i]),
                                      figure.point[i]);
        for (const double value : figure.values)
            output.write(fmt::format(
                "{{\"params\":{}}},\"callpath\":{},\"metric\":{},\"value\":{}}}\n", parameters,
                json_string(figure.callpath), json_string(figure.metric), value));
    }
}

void write_talpas(const Measurements& all, ExportOutput& output) {
    for (const Measurements::Figure& figure : all.figures) {
        std::string parameters;
        for (std::size_t i = 0; i < all.parameters.size(); i++)
            parameters += fmt::format("{}{}:{}", i == 0 ? "{" : ";", json_string(all.parameters[i]),
                                      figure.point[i]);
        for (const double value : figure.values)
            output.write(fmt::format(
                "{{\"parameters\":{}}};\"metric\":{};\"callpath\":{};\"value\":{}}}\n", parameters,
                json_string(figure.metric), json_string(figure.callpath), value));
    }
}

// By call path, metric and point: the values of all repetitions.
using Values = std::map<std::string,
                        std::map<std::string, std::map<std::vector<double>, std::vector<double>>>>;
Values values_of(const Measurements& all) {
    Values values;
    for (const Measurements::Figure& figure : all.figures) {
        std::vector<double>& of_point = values[figure.callpath][figure.metric][figure.point];
        of_point.insert(of_point.end(), figure.values.begin(), figure.values.end());
    }
    return values;
}

void write_document(const Measurements& all, ExportOutput& output) {
    std::vector<std::string> names;
    for (const std::string& parameter : all.parameters)
        names.push_back(json_string(parameter));
    output.write(fmt::format("{{\"parameters\":[{}],\"measurements\":{{", joined(names, ",")));
    const char* before_path = "";
    for (const auto& [callpath, metrics] : values_of(all)) {
        output.write(fmt::format("{}\n{}:{{", before_path, json_string(callpath)));
        before_path = ",";
        const char* before_metric = "";
        for (const auto& [metric, points] : metrics) {
            output.write(fmt::format("{}\n  {}:[", before_metric, json_string(metric)));
            before_metric = ",";
            const char* before_point = "";
            for (const auto& [point, values] : points) {
                output.write(fmt::format("{}{{\"point\":[{}],\"values\":[{}]}}", before_point,
                                         fmt::join(point, ","), fmt::join(values, ",")));
                before_point = ",";
            }
            output.write("]");
        }
        output.write("}");
    }
    output.write("}}\n");
}

void write_text(const Measurements& all, ExportOutput& output) {
    std::set<std::vector<double>> points;
    for (const Measurements::Figure& figure : all.figures)
        points.insert(figure.point);
    for (const std::string& parameter : all.parameters) {
        std::string name = parameter;
        std::replace(name.begin(), name.end(), ' ', '_');
        output.write(fmt::format("PARAMETER {}\n", name));
    }
    output.write("POINTS");
    for (const std::vector<double>& point : points)
        output.write(fmt::format(" ( {} )", fmt::join(point, " ")));
    std::size_t left_out = 0;
    for (const auto& [callpath, metrics] : values_of(all))
        for (const auto& [metric, values] : metrics) {
            // The format has a line for every point.
            if (values.size() != points.size()) {
                left_out++;
                continue;
            }
            output.write(fmt::format("\n\nREGION {}\nMETRIC {}", callpath, metric));
            for (const auto& [point, repetitions] : values)
                output.write(fmt::format("\nDATA {}", fmt::join(repetitions, " ")));
        }
    output.write("\n");
    if (left_out > 0)
        output.remark(fmt::format("{} figure{} left out, because the text format needs a value at "
                                  "every point (extrap and extrap-json do not)",
                                  left_out, left_out == 1 ? " is" : "s are"));
}

// What the files show, at the values of the parameters.
Measurements measurements_of(const ExportSource& source, ExportOutput& output) {
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
    Measurements result;
    for (const Parameter& parameter : parameters)
        result.parameters.push_back(parameter.name);
    for (std::size_t i = 0; i < profiles.size(); i++) {
        std::vector<double> point;
        for (const Parameter& parameter : parameters)
            point.push_back(parameter.values[i]);
        add_profile(*profiles[i], point, result);
    }
    return result;
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
    write_lines(measurements_of(source, output), output);
}

void export_extrap_json(const ExportSource& source, ExportOutput& output) {
    write_document(measurements_of(source, output), output);
}

void export_extrap_text(const ExportSource& source, ExportOutput& output) {
    write_text(measurements_of(source, output), output);
}

void export_extrap_talpas(const ExportSource& source, ExportOutput& output) {
    write_talpas(measurements_of(source, output), output);
}

}  // namespace vftrace
