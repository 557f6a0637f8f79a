#include "commands/model_input.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>

#include <fmt/core.h>

#include "base/text.hpp"
#include "commands/allowed_parameters.hpp"
#include "commands/commands.hpp"
#include "commands/profile_file.hpp"
#include "export/export_format.hpp"
#include "model/model_findings.hpp"
#include "readers/extrap_reader.hpp"
#include "readers/json_document.hpp"
#include "readers/json_object.hpp"

namespace vftrace::tools {
namespace {

// Points of the line along each parameter at which plots show intervals.
constexpr std::size_t interval_points = 9;
constexpr std::size_t findings_of_a_kind = 5, next_points_shown = 2;

// The values given with --parameter, one for each file that is kept.
std::vector<ParameterWishes::Given> given_values(const ModelArguments& arguments,
                                                 const std::vector<std::string>& files,
                                                 const std::vector<std::size_t>& kept) {
    std::vector<ParameterWishes::Given> result;
    for (const std::string& text : arguments.parameters) {
        const ExportParameter given = parse_export_parameter(text);
        const std::size_t values = given.values.size();
        if (values != 1 && values != files.size())
            throw UsageError(fmt::format("--parameter {} has {} values for {} files", given.name,
                                         values, files.size()));
        ParameterWishes::Given& of_runs = result.emplace_back();
        of_runs.name = given.name;
        for (const std::size_t file : kept)
            of_runs.values.push_back(given.values[values == 1 ? 0 : file]);
        for (const ParameterWishes::Given& other : result)
            if (&other != &of_runs && other.name == given.name)
                throw UsageError(fmt::format("--parameter {} is given twice", given.name));
    }
    return result;
}

ModelOrder order_of(const std::string& word) {
    constexpr std::pair<std::string_view, ModelOrder> orders[] = {
        {"growth", ModelOrder::growth},
        {"factor", ModelOrder::factor},
        {"predicted", ModelOrder::predicted},
        {"measured", ModelOrder::measured},
        {"order", ModelOrder::order}};
    return std::find_if(std::begin(orders), std::end(orders),
                        [&](const auto& order) { return order.first == word; })
        ->second;
}

// The measurements of a file in one of Extra-P's formats; nothing for other files.
std::optional<Measurements> foreign_measurements(const std::string& file) {
    // A large profile is recognised by its begin.
    char begin[200] = {};
    std::ifstream(file).read(begin, sizeof begin - 1);
    if (std::string_view(begin).find("\"vftrace-") != std::string_view::npos ||
        file.ends_with(".log"))
        return std::nullopt;
    const std::string text = text_of_file(file);
    if (!is_extrap(text))
        return std::nullopt;
    try {
        return parse_extrap(text);
    } catch (const ProfileFormatError& error) {
        throw ProfileFormatError(fmt::format("{}: {}", file, error.what()));
    }
}

// Reads each run once. Returns the indices of the files that were taken, once for each run.
std::vector<std::size_t> read_profiles(const ModelArguments& arguments,
                                       const std::vector<std::string>& files, RunTable& table,
                                       std::vector<std::string>& notes) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < files.size(); i++) {
        const std::string& file = files[i];
        const Profile profile = read_profile(file);
        if (const RunTable::Run* same = table.find(profile)) {
            notes.push_back(
                same->file == file
                    ? fmt::format("{} is given twice; it is used once.", file)
                    : fmt::format("{} and {} are from the same run; only the first is used.",
                                  same->file, file));
            continue;
        }
        table.add(profile, file, arguments.any_build);
        kept.push_back(i);
    }
    return kept;
}

std::vector<std::string> metrics_of(const ModelArguments& arguments,
                                    const std::optional<Measurements>& measurements) {
    if (!arguments.metrics.empty())
        return arguments.metrics;
    if (!measurements)
        return {"time_excl", "time_incl"};
    std::vector<std::string> metrics;
    for (const Measurements::Figure& figure : measurements->figures)
        if (std::find(metrics.begin(), metrics.end(), figure.metric) == metrics.end())
            metrics.push_back(figure.metric);
    return metrics;
}

void add_notes(const RunTable& table, const ParameterChoice& choice,
               std::vector<std::string>& notes) {
    if (!choice.constant.empty())
        notes.push_back(fmt::format("The same in all runs: {}.", text_of(choice.constant)));
    for (std::size_t i = 0; i < choice.names.size(); i++)
        if (choice.different_values[i] < wanted_values)
            notes.push_back(fmt::format("{} has {} values: few for a model; {} or more make it "
                                        "reliable.",
                                        choice.names[i], choice.different_values[i],
                                        wanted_values));
    for (const std::string& far : choice.far)
        notes.push_back(fmt::format("The prediction is far from the measured values: {}.", far));
    const std::vector<RunTable::Run>& runs = table.runs();
    const auto [least, most] = std::minmax_element(
        runs.begin(), runs.end(),
        [](const RunTable::Run& a, const RunTable::Run& b) { return a.threads < b.threads; });
    if (least->threads != most->threads)
        notes.push_back(fmt::format("The numbers of threads differ, {} to {}; times are sums over "
                                    "threads.",
                                    least->threads, most->threads));
    for (const RunTable::Run& run : runs)
        if (!run.ended.empty())
            notes.push_back(fmt::format("{} {}: its times end there.", run.file, run.ended));
    if (const std::vector<std::string> filtered = table.filtered_in_some(); !filtered.empty())
        notes.push_back(fmt::format(
            "{} function{} lost {} hooks in some of the runs, in which {} time is part of that of "
            "the callers ({}{}); see vftrace filter.",
            filtered.size(), plural_s(filtered.size()), filtered.size() == 1 ? "its" : "their",
            filtered.size() == 1 ? "its" : "their", filtered.front(),
            filtered.size() == 1 ? "" : ", ..."));
}

std::unique_ptr<AnalysedParameters> read_analysis(const ModelArguments& arguments,
                                                  const ParameterChoice& choice,
                                                  std::vector<std::string>& notes) {
    if (arguments.analysis.empty())
        return nullptr;
    auto analysed = std::make_unique<AnalysedParameters>(arguments.analysis, choice.names);
    const std::vector<std::string> free = analysed->not_followed();
    if (free.size() == choice.names.size())
        throw CommandError(fmt::format("{} does not cover any of the parameters {}",
                                       arguments.analysis, joined(choice.names, ", ")));
    if (!free.empty())
        notes.push_back(
            fmt::format("The analysis did not cover {}, which may therefore appear in any model.",
                        joined(free, ", ")));
    return analysed;
}

// "n * p + q".
std::string text_of(const AllowedParameters& allowed, const std::vector<std::string>& names) {
    std::vector<std::string> products;
    for (const std::vector<std::uint32_t>& set : allowed.sets) {
        std::vector<std::string> factors;
        for (const std::uint32_t parameter : set)
            factors.push_back(names[parameter]);
        products.push_back(joined(factors, " * "));
    }
    return products.empty() ? "none" : joined(products, " + ");
}

// 3/2 or 1.5.
Exponents power_of(std::string_view word) {
    const std::size_t slash = word.find('/');
    const auto integer = [&](std::string_view text, int most) {
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most)
            throw UsageError(fmt::format("--powers: \"{}\" is not a power such as 2 or 3/2, from "
                                         "0 to 10",
                                         word));
        return value;
    };
    int numerator = integer(word.substr(0, slash), 100), denominator = 1;
    if (slash != std::string_view::npos)
        denominator = integer(word.substr(slash + 1), 10);
    if (denominator == 0 || numerator > 10 * denominator)
        integer("-", 0);
    for (int divisor = denominator; divisor > 1; divisor--)
        if (numerator % divisor == 0 && denominator % divisor == 0) {
            numerator /= divisor;
            denominator /= divisor;
        }
    if (numerator == 0)
        denominator = 1;
    return {static_cast<std::int8_t>(numerator), static_cast<std::int8_t>(denominator), 0};
}

ExponentSet exponents_of(const ModelArguments& arguments) {
    if (arguments.powers.empty() && arguments.logs.empty()) {
        ExponentSet exponents;
        if (arguments.max_power == "5")
            exponents.add_powers_up_to_5();
        return exponents;
    }
    if (arguments.powers.empty())
        throw UsageError("--logs needs --powers");
    std::vector<Exponents> powers;
    for (const std::string_view word : split(arguments.powers, ','))
        powers.push_back(power_of(word));
    std::vector<std::int8_t> logs;
    for (const std::string_view word : split(arguments.logs.empty() ? "0" : arguments.logs, ',')) {
        if (word.size() != 1 || word[0] < '0' || word[0] > '4')
            throw UsageError(fmt::format("--logs: \"{}\" is not a number from 0 to 4", word));
        logs.push_back(static_cast<std::int8_t>(word[0] - '0'));
    }
    ExponentSet exponents(powers, logs);
    if (exponents.growing().empty())
        throw UsageError("--powers: nothing but constants is left");
    return exponents;
}

PointStatistic statistic_of(const std::string& word) {
    return word == "median"    ? PointStatistic::median
           : word == "minimum" ? PointStatistic::minimum
                               : PointStatistic::mean;
}

// The points along a parameter, from the smallest value to the target; the others are at the
// target.
std::vector<std::vector<double>> points_along(std::size_t parameter,
                                              const ParameterChoice& choice) {
    double least = choice.target[parameter];
    double most = least;
    for (const std::vector<double>& run : choice.values) {
        least = std::min(least, run[parameter]);
        most = std::max(most, run[parameter]);
    }
    std::vector<std::vector<double>> points;
    for (std::size_t i = 0; i < interval_points; i++) {
        std::vector<double>& point = points.emplace_back(choice.target);
        point[parameter] =
            least * std::pow(most / least, static_cast<double>(i) / (interval_points - 1));
    }
    return points;
}

}  // namespace

std::vector<RunParameter> point_of(const std::vector<std::string>& texts, const char* option) {
    std::vector<RunParameter> result;
    for (const std::string& text : texts)
        for (const std::string_view word : split(text, ',')) {
            const std::size_t equals = std::min(word.find('='), word.size());
            const std::string_view number = word.substr(std::min(equals + 1, word.size()));
            RunParameter parameter{std::string(word.substr(0, equals)), 0};
            const auto [end, error] =
                std::from_chars(number.data(), number.data() + number.size(), parameter.value);
            if (equals == 0 || number.empty() || error != std::errc() ||
                end != number.data() + number.size() || !std::isfinite(parameter.value))
                throw UsageError(fmt::format("{} {}: \"{}\" is not of the form NAME=NUMBER", option,
                                             text, word));
            if (add_parameter(result, parameter))
                throw UsageError(fmt::format("{}: {} is given twice", option, parameter.name));
        }
    return result;
}

ModelSet read_models(const ModelArguments& arguments, const std::vector<std::string>& files,
                     const std::vector<RunParameter>& predict) {
    std::optional<Measurements> measurements;
    for (const std::string& file : files)
        if ((measurements = foreign_measurements(file)) && files.size() > 1)
            throw CommandError(
                fmt::format("{}: measurements of Extra-P cannot be modelled together "
                            "with other files",
                            file));
    ModelSet set{RunTable(metrics_of(arguments, measurements), arguments.times_ranks),
                 {},
                 {},
                 {},
                 {},
                 {},
                 {},
                 {},
                 {}};
    std::vector<std::size_t> kept;
    if (measurements) {
        set.table.add(*measurements, files.front());
        kept.assign(set.table.runs().size(), 0);
    } else {
        kept = read_profiles(arguments, files, set.table, set.notes);
    }
    set.table.check_metrics();
    ParameterWishes wishes;
    wishes.where = point_of(arguments.where, "--where");
    wishes.predict = predict;
    wishes.without = arguments.without;
    wishes.given = given_values(arguments, files, kept);
    set.choice = choose_parameters(set.table.runs(), wishes);
    set.table.keep_runs(set.choice.runs);
    add_notes(set.table, set.choice, set.notes);

    ModelOptions options{exponents_of(arguments), statistic_of(arguments.statistic), {}};
    for (std::size_t i = 0; i < set.choice.names.size(); i++) {
        const std::size_t first = options.intervals_at.size();
        const std::vector<std::vector<double>> points = points_along(i, set.choice);
        options.intervals_at.insert(options.intervals_at.end(), points.begin(), points.end());
        set.along.emplace_back(first, options.intervals_at.size());
    }
    const std::size_t first_candidate = options.intervals_at.size();
    const std::vector<std::vector<double>> candidates = candidate_points(set.choice.values);
    options.intervals_at.insert(options.intervals_at.end(), candidates.begin(), candidates.end());
    set.modeller = std::make_unique<Modeller>(set.choice.names, set.choice.values,
                                              set.choice.target, std::move(options));

    const auto analysed = read_analysis(arguments, set.choice, set.notes);
    for (std::size_t metric = 0; metric < set.table.metrics().size(); metric++) {
        const bool with_callees = set.table.metrics()[metric].id == "time_incl";
        AnalysedTexts texts(analysed ? set.table.paths().size() : 0);
        set.models.push_back(model_paths(
            set.table, metric, *set.modeller, arguments.min_share_percent / 100,
            order_of(arguments.sort), [&](std::uint32_t path) {
                if (!analysed)
                    return AllowedParameters::all(set.choice.names.size());
                const AllowedParameters allowed = analysed->of_path(set.table, path, with_callees);
                texts[path] = analysed->is_known(set.table, path, with_callees)
                                  ? text_of(allowed, set.choice.names)
                                  : "unknown";
                return allowed;
            }));
        set.analysed.push_back(std::move(texts));
        set.findings.push_back(model_findings(set.table, metric, set.models.back(), *set.modeller,
                                              findings_of_a_kind));
    }
    set.next = next_points(candidates, first_candidate, set.models.front(), next_points_shown);
    return set;
}

}  // namespace vftrace::tools
