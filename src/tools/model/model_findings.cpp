#include "model/model_findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace vftrace {
namespace {

// How far beyond the target a change of the leading path is looked for.
constexpr double beyond_target = 100;
constexpr int steps = 60;

// The path with more than half of the sum of all paths there; nothing: none has.
std::optional<std::size_t> leading_row(const MetricModels& models,
                                       const std::vector<double>& parameters) {
    double sum = 0, most = 0;
    std::size_t leading = 0;
    for (std::size_t i = 0; i < models.rows.size(); i++) {
        const double value = std::max(models.rows[i].model(parameters), 0.0);
        sum += value;
        if (value > most) {
            most = value;
            leading = i;
        }
    }
    if (most > sum / 2)
        return leading;
    return std::nullopt;
}

// "Above n = 1.2e+05, sort takes most of the exclusive time": along each parameter from the
// largest point on, with the others as there.
void add_leaders(const RunTable& table, std::size_t metric, const MetricModels& models,
                 const Modeller& modeller, std::vector<std::string>& sentences) {
    const std::string& title = table.metrics()[metric].title;
    for (std::size_t p = 0; p < modeller.parameters().size(); p++) {
        std::vector<double> at = modeller.largest();
        const double first = at[p], last = std::max(modeller.target()[p], first) * beyond_target;
        const std::optional<std::size_t> now = leading_row(models, at);
        double below = first;
        for (int step = 1; step <= steps; step++) {
            at[p] = first * std::pow(last / first, static_cast<double>(step) / steps);
            const std::optional<std::size_t> leading = leading_row(models, at);
            if (!leading || leading == now) {
                below = at[p];
                continue;
            }
            const PathModelRow& row = models.rows[*leading];
            // Where exactly, within two digits.
            double above = at[p];
            for (int i = 0; i < 20; i++) {
                at[p] = std::sqrt(below * above);
                (leading_row(models, at) == leading ? above : below) = at[p];
            }
            sentences.push_back(fmt::format(
                "Above {} = {:.2g}, {} takes most of the {}{}: it grows like {}.",
                modeller.parameters()[p], above, table.paths()[row.path].function,
                static_cast<char>(std::tolower(static_cast<unsigned char>(title.front()))),
                title.substr(1), order_text(row.model, modeller.parameters())));
            break;
        }
    }
}

std::string point_text(const std::vector<std::string>& names, const std::vector<double>& values) {
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += fmt::format("{}{} = {:g}", i == 0 ? "" : ", ", names[i], values[i]);
    return text;
}

// "heat: no formula fits ...", for a name of a path or of the program.
std::optional<std::string> sentence_of(const PathModel& model, const std::string& name,
                                       const std::vector<std::string>& names) {
    if (model.bound)
        return fmt::format("{}: {} over these points.", name, description(model, names));
    if (model.bend) {
        std::vector<double> at = model.grid->points()[model.points.back().point];
        at[model.bend->parameter] = model.bend->first_above;
        const double before = model.bend->below(at), after = model.model(at);
        return fmt::format("{}: changes between {} = {:g} and {:g}, by a factor of {:.3g}.", name,
                           names[model.bend->parameter], model.bend->last_below,
                           model.bend->first_above, before > 0 ? after / before : 0);
    }
    for (const std::uint32_t place : model.left_out) {
        const PointValue& point = model.points[place];
        const std::vector<double>& at = model.grid->points()[point.point];
        if (const double modelled = model(at); modelled > 0)
            return fmt::format("{}: the value at {} is {:.3g} times that of the formula of the "
                               "other points, and does not count.",
                               name, point_text(names, at), point.value / modelled);
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> model_findings(const RunTable& table, std::size_t metric,
                                        const MetricModels& models, const Modeller& modeller,
                                        std::size_t limit) {
    std::vector<std::string> sentences;
    if (table.metrics()[metric].is_exclusive)
        add_leaders(table, metric, models, modeller, sentences);
    if (models.program)
        if (auto sentence =
                sentence_of(*models.program, "The whole program", modeller.parameters()))
            sentences.push_back(*sentence);
    std::size_t told = 0, untold = 0;
    for (const PathModelRow& row : models.rows)
        if (const auto sentence =
                sentence_of(row.model, table.paths()[row.path].text, modeller.parameters())) {
            if (told == limit) {
                untold++;
                continue;
            }
            sentences.push_back(*sentence);
            told++;
        }
    if (untold > 0)
        sentences.push_back(fmt::format("Similar remarks apply to {} more call path{}.", untold,
                                        untold == 1 ? "" : "s"));
    return sentences;
}

}  // namespace vftrace
