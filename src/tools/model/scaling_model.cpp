#include "model/scaling_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace vftrace {
namespace {

// "n^(3/2) * log2(n)".
std::string factor_text(const Factor& factor, std::span<const std::string> names) {
    const std::string& name = names[factor.parameter];
    const Exponents& e = factor.exponents;
    std::string text;
    if (e.numerator != 0) {
        text = name;
        if (e.denominator != 1)
            text += fmt::format("^({}/{})", e.numerator, e.denominator);
        else if (e.numerator < 0)
            text += fmt::format("^({})", e.numerator);
        else if (e.numerator != 1)
            text += fmt::format("^{}", e.numerator);
    }
    if (e.log != 0) {
        text += fmt::format("{}log2({})", text.empty() ? "" : " * ", name);
        if (e.log != 1)
            text += fmt::format("^{}", e.log);
    }
    return text;
}

std::string product_text(const Product& product, std::span<const std::string> names) {
    std::string text;
    for (const Factor& factor : product)
        text += (text.empty() ? "" : " * ") + factor_text(factor, names);
    return text;
}

std::string number_text(double value) { return fmt::format("{:.4g}", value); }

Exponents exponents_of(const Product& product, std::uint32_t parameter) {
    for (const Factor& factor : product)
        if (factor.parameter == parameter)
            return factor.exponents;
    return {};
}

// Whether `other` grows at least as fast in each parameter.
bool is_outgrown(const Product& product, const Product& other) {
    for (const Product* side : {&product, &other})
        for (const Factor& factor : *side)
            if (exponents_of(product, factor.parameter) > exponents_of(other, factor.parameter))
                return false;
    return true;
}

}  // namespace

double value_of(const Product& product, std::span<const double> parameters) {
    double value = 1;
    for (const Factor& factor : product)
        value *= factor.exponents(parameters[factor.parameter]);
    return value;
}

double ScalingModel::operator()(std::span<const double> parameters) const {
    double value = constant;
    for (const Term& term : terms)
        value += term.coefficient * value_of(term.factors, parameters);
    return value;
}

std::string formula(const ScalingModel& model, std::span<const std::string> names) {
    std::string text;
    if (model.constant != 0 || model.terms.empty())
        text = number_text(model.constant);
    for (const Term& term : model.terms) {
        const bool first = text.empty();
        const double shown = first ? term.coefficient : std::abs(term.coefficient);
        const char* sign = first ? "" : term.coefficient < 0 ? " - " : " + ";
        text += sign;
        if (const std::string number = number_text(shown); number != "1")
            text += number + " * ";
        text += product_text(term.factors, names);
    }
    return text;
}

std::string growth_order(const ScalingModel& model, std::span<const std::string> names) {
    std::vector<const Product*> kept;
    for (const Term& term : model.terms) {
        const bool shrinks =
            std::all_of(term.factors.begin(), term.factors.end(),
                        [](const Factor& factor) { return factor.exponents < Exponents{}; });
        const bool outgrown =
            std::any_of(model.terms.begin(), model.terms.end(), [&](const Term& other) {
                return &other != &term && is_outgrown(term.factors, other.factors);
            });
        if (!outgrown && !(shrinks && model.constant > 0))
            kept.push_back(&term.factors);
    }
    std::string text;
    for (const Product* product : kept)
        text += (text.empty() ? "" : " + ") + product_text(*product, names);
    return text.empty() ? "1" : text;
}

LeadingTerm growth(const ScalingModel& model) {
    LeadingTerm largest;
    bool any = model.constant != 0;
    for (const Term& term : model.terms) {
        LeadingTerm sum;
        for (const Factor& factor : term.factors) {
            sum.power += factor.exponents.power();
            sum.log += factor.exponents.log;
        }
        if (!any || largest < sum)
            largest = sum;
        any = true;
    }
    return largest;
}

}  // namespace vftrace
