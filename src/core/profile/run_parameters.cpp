#include "profile/run_parameters.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace vftrace {
namespace {

template <class Parameters>
auto place_of(Parameters& parameters, const std::string& name) {
    return std::lower_bound(
        parameters.begin(), parameters.end(), name,
        [](const RunParameter& known, const std::string& text) { return known.name < text; });
}

}  // namespace

const RunParameter* add_parameter(std::vector<RunParameter>& parameters, RunParameter parameter) {
    const auto place = place_of(parameters, parameter.name);
    if (place != parameters.end() && place->name == parameter.name)
        return &*place;
    parameters.insert(place, std::move(parameter));
    return nullptr;
}

const RunParameter* find_parameter(const std::vector<RunParameter>& parameters,
                                   const std::string& name) {
    const auto place = place_of(parameters, name);
    return place != parameters.end() && place->name == name ? &*place : nullptr;
}

std::vector<std::string> different_parameters(const std::vector<RunParameter>& a,
                                              const std::vector<RunParameter>& b) {
    std::vector<std::string> names;
    for (const RunParameter& parameter : a) {
        const RunParameter* other = find_parameter(b, parameter.name);
        if (!other || other->value != parameter.value)
            names.push_back(parameter.name);
    }
    for (const RunParameter& parameter : b)
        if (!find_parameter(a, parameter.name))
            names.push_back(parameter.name);
    std::sort(names.begin(), names.end());
    return names;
}

std::string text_of(const std::vector<RunParameter>& parameters) {
    const CLocale decimal_points;
    std::string text;
    for (const RunParameter& parameter : parameters)
        text += (text.empty() ? "" : ", ") + parameter.name + " = " + number_text(parameter.value);
    return text;
}

}  // namespace vftrace
