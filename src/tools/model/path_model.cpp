#include "model/path_model.hpp"

#include <cmath>

#include <fmt/core.h>

namespace vftrace {
namespace {

// "n^2.5 * p^0.3"; powers below 0.05 are left out.
std::string powers_text(const GrowthBound& bound, std::span<const std::string> names) {
    std::string text;
    for (std::size_t i = 0; i < bound.powers.size(); i++)
        if (std::abs(bound.powers[i]) >= 0.05)
            text +=
                fmt::format("{}{}^{:.1f}", text.empty() ? "" : " * ", names[i], bound.powers[i]);
    return text;
}

}  // namespace

double GrowthBound::operator()(std::span<const double> parameters) const {
    double result = value;
    for (std::size_t i = 0; i < powers.size(); i++)
        result *= std::pow(parameters[i] / largest[i], powers[i]);
    return result;
}

double PathModel::operator()(std::span<const double> parameters) const {
    if (bound)
        return (*bound)(parameters);
    if (bend && bend->is_below(parameters[bend->parameter]))
        return bend->below(parameters);
    return model(parameters);
}

std::string description(const PathModel& model, std::span<const std::string> names) {
    if (model.bound) {
        const std::string powers = powers_text(*model.bound, names);
        return powers.empty() ? "no formula fits"
                              : "no formula fits; grows at least like " + powers;
    }
    std::string text = formula(model.model, names);
    if (model.bend)
        return fmt::format("{0} up to {1} = {2:g}, {3} from {1} = {4:g}",
                           formula(model.bend->below, names), names[model.bend->parameter],
                           model.bend->last_below, text, model.bend->first_above);
    return text;
}

std::string order_text(const PathModel& model, std::span<const std::string> names) {
    if (!model.bound)
        return growth_order(model.model, names);
    const std::string powers = powers_text(*model.bound, names);
    return powers.empty() ? "unknown" : powers + " or more";
}

const char* finding_id(GrowthFinding finding) {
    switch (finding) {
    case GrowthFinding::formula:
        return "formula";
    case GrowthFinding::two_formulas:
        return "two formulas";
    case GrowthFinding::constant:
        return "constant";
    case GrowthFinding::unclear:
        return "unclear";
    case GrowthFinding::no_formula:
        break;
    }
    return "no formula";
}

}  // namespace vftrace
