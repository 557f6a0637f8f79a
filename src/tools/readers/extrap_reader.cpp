#include "readers/extrap_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/core.h>

#include "base/text.hpp"
#include "readers/json_document.hpp"
#include "readers/json_object.hpp"

namespace vftrace {
namespace {

// What goes into a file of a few kilobytes and would fill the memory is refused.
constexpr std::size_t most_parameters_of_file = 1000;

std::string_view first_word(std::string_view text) {
    text = trim(text);
    return text.substr(0, text.find_first_of(" \t\n\r"));
}

double number_of(std::string_view word, const std::string& place) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
        throw ProfileFormatError(fmt::format("{}: \"{}\" is not a finite number", place, word));
    return value;
}

double number_of(const JsonValue& value, const std::string& place) {
    if (value.IsString())
        return number_of(std::string_view(value.GetString(), value.GetStringLength()), place);
    if (!value.IsNumber() || !std::isfinite(value.GetDouble()))
        throw ProfileFormatError(fmt::format("{}: is not a finite number", place));
    return value.GetDouble();
}

// Collects values in any order.
class Collector {
  public:
    explicit Collector(Measurements& result) : result_(result) {}

    void add(const std::string& callpath, const std::string& metric,
             const std::vector<double>& point, double value) {
        const auto [entry, is_new] =
            place_.try_emplace(std::tuple(callpath, metric, point), result_.figures.size());
        if (is_new)
            result_.figures.push_back({callpath, metric, point, {}});
        result_.figures[entry->second].values.push_back(value);
    }

  private:
    Measurements& result_;
    std::map<std::tuple<std::string, std::string, std::vector<double>>, std::size_t> place_;
};

// ---- text ---------------------------------------------------------------------------------------

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (!(text = trim(text)).empty()) {
        const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
        words.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return words;
}

// "( 1 2 ) ( 3 4 )" with several parameters, "1 3" or "( 1 ) ( 3 )" with one.
std::vector<std::vector<double>> points_of(std::string_view text, std::size_t parameters,
                                           const std::string& place) {
    std::vector<std::vector<double>> points;
    std::vector<double> open;
    bool is_open = false;
    std::string spaced;
    for (const char c : text)
        spaced += c == '(' || c == ')' ? fmt::format(" {} ", c)
                  : c == ','           ? std::string(" ")
                                       : std::string(1, c);
    for (const std::string_view word : words_of(spaced)) {
        if (word == "(") {
            if (is_open)
                throw ProfileFormatError(fmt::format("{}: \"(\" within a point", place));
            is_open = true;
            open.clear();
        } else if (word == ")") {
            if (!is_open || open.size() != parameters)
                throw ProfileFormatError(fmt::format("{}: a point has {} values for {} parameter{}",
                                                     place, open.size(), parameters,
                                                     plural_s(parameters)));
            points.push_back(open);
            is_open = false;
        } else if (is_open) {
            open.push_back(number_of(word, place));
        } else {
            if (parameters != 1)
                throw ProfileFormatError(
                    fmt::format("{}: points of {} parameters need parentheses", place, parameters));
            points.push_back({number_of(word, place)});
        }
    }
    if (is_open)
        throw ProfileFormatError(fmt::format("{}: \")\" is missing", place));
    return points;
}

Measurements parse_text(std::string_view text) {
    Measurements result;
    Collector collector(result);
    std::vector<std::vector<double>> points;
    std::string region, metric = "metric";
    std::size_t line_number = 0, data = 0;
    const auto check_data = [&](const std::string& place) {
        if (data != 0 && data != points.size())
            throw ProfileFormatError(fmt::format("{}: {} lines of DATA of {} / {} for {} points",
                                                 place, data, region, metric, points.size()));
        data = 0;
    };
    for (std::string_view line : split(text, '\n')) {
        const std::string place = fmt::format("line {}", ++line_number);
        line = trim(line);
        if (line.empty() || line.starts_with('#'))
            continue;
        const std::string_view key = first_word(line), rest = trim(line.substr(key.size()));
        if (key == "PARAMETER") {
            if (!points.empty())
                throw ProfileFormatError(place + ": PARAMETER after POINTS");
            for (const std::string_view word : words_of(rest))
                result.parameters.emplace_back(word);
            if (rest.empty() || result.parameters.size() > most_parameters_of_file)
                throw ProfileFormatError(place + ": PARAMETER needs a name, of at most 1000");
        } else if (key == "POINTS") {
            if (result.parameters.empty())
                throw ProfileFormatError(place + ": POINTS before PARAMETER");
            for (std::vector<double>& point : points_of(rest, result.parameters.size(), place))
                points.push_back(std::move(point));
        } else if (key == "REGION" || key == "METRIC") {
            check_data(place);
            (key == "REGION" ? region : metric) = std::string(rest);
        } else if (key == "DATA") {
            if (data == points.size())
                throw ProfileFormatError(
                    fmt::format("{}: more lines of DATA than the {} points", place, points.size()));
            for (const std::string_view word : words_of(rest))
                collector.add(region, metric, points[data], number_of(word, place));
            if (rest.empty())
                throw ProfileFormatError(place + ": DATA without values");
            data++;
        } else {
            throw ProfileFormatError(fmt::format(
                "{}: \"{}\" is not PARAMETER, POINTS, REGION, METRIC or DATA", place, key));
        }
    }
    check_data("the end");
    return result;
}

// ---- JSON ---------------------------------------------------------------------------------------

const JsonValue& member(const JsonValue& object, const char* name, const std::string& place) {
    if (!object.IsObject())
        throw ProfileFormatError(place + ": must be an object");
    const auto found = object.FindMember(name);
    if (found == object.MemberEnd())
        throw ProfileFormatError(fmt::format("{}: \"{}\" is missing", place, name));
    return found->value;
}

std::string string_member(const JsonValue& object, const char* name, const std::string& place) {
    const JsonValue& value = member(object, name, place);
    if (!value.IsString())
        throw ProfileFormatError(fmt::format("{}: \"{}\" must be a string", place, name));
    return {value.GetString(), value.GetStringLength()};
}

const JsonValue& array_member(const JsonValue& object, const char* name, const std::string& place) {
    const JsonValue& value = member(object, name, place);
    if (!value.IsArray())
        throw ProfileFormatError(fmt::format("{}: \"{}\" must be an array", place, name));
    return value;
}

// A line: {"params":{"x":1},"callpath":"main","metric":"time","value":1}; "parameters" in Talpas.
void add_line(const JsonValue& line, const std::string& place, Measurements& result,
              Collector& collector) {
    const char* const name =
        line.IsObject() && line.HasMember("parameters") ? "parameters" : "params";
    const JsonValue& parameters = member(line, name, place);
    if (!parameters.IsObject() || parameters.MemberCount() > most_parameters_of_file)
        throw ProfileFormatError(
            fmt::format("{}: \"{}\" must be an object with at most 1000 members", place, name));
    if (result.parameters.empty())
        for (const auto& parameter : parameters.GetObject())
            result.parameters.emplace_back(parameter.name.GetString());
    std::vector<double> point;
    for (const std::string& parameter : result.parameters)
        point.push_back(number_of(member(parameters, parameter.c_str(), place), place));
    if (parameters.MemberCount() != result.parameters.size())
        throw ProfileFormatError(place + ": has other parameters than the lines before");
    const std::string callpath = line.HasMember("callpath") ? string_member(line, "callpath", place)
                                                            : std::string("program");
    const std::string metric =
        line.HasMember("metric") ? string_member(line, "metric", place) : std::string("metric");
    collector.add(callpath, metric, point, number_of(member(line, "value", place), place));
}

// Semicolons outside strings are commas.
std::string without_semicolons(std::string_view line) {
    std::string text(line);
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '"')
            in_string = !in_string;
        else if (text[i] == ';' && !in_string)
            text[i] = ',';
    }
    return text;
}

Measurements parse_lines(std::string_view text) {
    Measurements result;
    Collector collector(result);
    std::size_t line_number = 0;
    for (const std::string_view line : split(text, '\n')) {
        const std::string place = fmt::format("line {}", ++line_number);
        if (trim(line).empty())
            continue;
        try {
            const JsonDocument document(without_semicolons(trim(line)));
            add_line(document.root, place, result, collector);
        } catch (const ProfileFormatError& error) {
            const std::string what = error.what();
            throw ProfileFormatError(what.starts_with("line ") ? what : place + ": " + what);
        }
    }
    return result;
}

// {"parameters":["x"],"measurements":{"main->f":{"time":[{"point":[1],"values":[1,2]}]}}}
void add_current(const JsonValue& root, Measurements& result) {
    for (const JsonValue& parameter : array_member(root, "parameters", "the document").GetArray()) {
        if (!parameter.IsString())
            throw ProfileFormatError("parameters: must be names");
        result.parameters.emplace_back(parameter.GetString());
    }
    const JsonValue& measurements = member(root, "measurements", "the document");
    if (!measurements.IsObject())
        throw ProfileFormatError("measurements: must be an object");
    Collector collector(result);
    for (const auto& callpath : measurements.GetObject()) {
        if (!callpath.value.IsObject())
            throw ProfileFormatError(
                fmt::format("measurements.{}: must be an object", callpath.name.GetString()));
        for (const auto& metric : callpath.value.GetObject()) {
            const std::string place = fmt::format("measurements.{}.{}", callpath.name.GetString(),
                                                  metric.name.GetString());
            if (!metric.value.IsArray())
                throw ProfileFormatError(place + ": must be an array");
            for (const JsonValue& one : metric.value.GetArray()) {
                const JsonValue& at = member(one, "point", place);
                std::vector<double> point;
                if (at.IsArray())
                    for (const JsonValue& value : at.GetArray())
                        point.push_back(number_of(value, place));
                else
                    point.push_back(number_of(at, place));
                if (point.size() != result.parameters.size())
                    throw ProfileFormatError(
                        fmt::format("{}: a point has {} values for {} parameters", place,
                                    point.size(), result.parameters.size()));
                const JsonValue& values = member(one, "values", place);
                if (!values.IsArray()) {
                    collector.add(callpath.name.GetString(), metric.name.GetString(), point,
                                  number_of(values, place));
                    continue;
                }
                for (const JsonValue& value : values.GetArray())
                    collector.add(callpath.name.GetString(), metric.name.GetString(), point,
                                  number_of(value, place));
            }
        }
    }
}

// The form with lists of parameters, metrics, call paths and coordinates, which measurements refer
// to by their ids.
void add_older(const JsonValue& root, Measurements& result) {
    const auto id_of = [](const JsonValue& object, const char* name, const std::string& place) {
        return number_of(member(object, name, place), place);
    };
    const auto names_of = [&](const char* list) {
        std::map<double, std::string> names;
        for (const JsonValue& one : array_member(root, list, "the document").GetArray())
            names[id_of(one, "id", list)] = string_member(one, "name", list);
        return names;
    };
    const std::map<double, std::string> parameters = names_of("parameters");
    const std::map<double, std::string> metrics = names_of("metrics");
    const char* const paths = root.HasMember("callpaths") ? "callpaths" : "regions";
    const char* const path_id = root.HasMember("callpaths") ? "callpath_id" : "region_id";
    const std::map<double, std::string> callpaths = names_of(paths);
    std::map<double, std::size_t> place_of;
    for (const auto& [id, name] : parameters) {
        place_of[id] = result.parameters.size();
        result.parameters.push_back(name);
    }
    std::map<double, std::vector<double>> points;
    for (const JsonValue& one : array_member(root, "coordinates", "the document").GetArray()) {
        std::vector<double> point(result.parameters.size(), std::nan(""));
        for (const JsonValue& pair :
             array_member(one, "parameter_value_pairs", "coordinates").GetArray()) {
            const auto known = place_of.find(id_of(pair, "parameter_id", "coordinates"));
            if (known == place_of.end())
                throw ProfileFormatError("coordinates: an id of a parameter is not known");
            point[known->second] =
                number_of(member(pair, "parameter_value", "coordinates"), "coordinates");
        }
        if (std::any_of(point.begin(), point.end(), [](double v) { return std::isnan(v); }))
            throw ProfileFormatError("coordinates: a point does not have all parameters");
        points[id_of(one, "id", "coordinates")] = point;
    }
    Collector collector(result);
    const auto known = [](const auto& table, double id, const char* what) -> const auto& {
        const auto found = table.find(id);
        if (found == table.end())
            throw ProfileFormatError(fmt::format("measurements: {} {} is not known", what, id));
        return found->second;
    };
    for (const JsonValue& one : array_member(root, "measurements", "the document").GetArray()) {
        const JsonValue& value = member(
            one, one.IsObject() && one.HasMember("values") ? "values" : "value", "measurements");
        const auto add = [&](const JsonValue& number) {
            collector.add(
                known(callpaths, id_of(one, path_id, "measurements"), path_id),
                known(metrics, id_of(one, "metric_id", "measurements"), "metric_id"),
                known(points, id_of(one, "coordinate_id", "measurements"), "coordinate_id"),
                number_of(number, "measurements"));
        };
        if (!value.IsArray()) {
            add(value);
            continue;
        }
        for (const JsonValue& number : value.GetArray())
            add(number);
    }
}

Measurements parse_document(std::string_view text) {
    const JsonDocument document(text);
    Measurements result;
    if (document.root.IsObject() && document.root.HasMember("coordinates"))
        add_older(document.root, result);
    else
        add_current(document.root, result);
    return result;
}

// Whether the first line is a complete object with a value.
bool are_lines(std::string_view text) {
    const std::string_view line = trim(text).substr(0, trim(text).find('\n'));
    return line.find("\"value\"") != std::string_view::npos &&
           line.find("\"measurements\"") == std::string_view::npos;
}

}  // namespace

bool is_extrap(std::string_view text) {
    const std::string_view begin = trim(text);
    for (std::string_view line : split(begin.substr(0, 4096), '\n')) {
        line = trim(line);
        if (line.empty() || line.starts_with('#'))
            continue;
        if (first_word(line) == "PARAMETER")
            return true;
        break;
    }
    if (!begin.starts_with('{'))
        return false;
    constexpr std::size_t begin_of_document = 200;
    if (begin.substr(0, begin_of_document).find("\"vftrace-") != std::string_view::npos)
        return false;
    return are_lines(begin) || (begin.find("\"measurements\"") != std::string_view::npos &&
                                begin.find("\"parameters\"") != std::string_view::npos);
}

Measurements parse_extrap(std::string_view text) {
    const std::string_view begin = trim(text);
    Measurements result = !begin.starts_with('{') ? parse_text(text)
                          : are_lines(begin)      ? parse_lines(text)
                                                  : parse_document(text);
    if (result.parameters.empty())
        throw ProfileFormatError("does not have parameters");
    if (result.figures.empty())
        throw ProfileFormatError("does not have measurements");
    return result;
}

}  // namespace vftrace
