#include "config/parameter_list.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text.hpp"
#include "config/findings.hpp"

namespace vftrace {
namespace {

// The K of "argv[K]".
std::optional<std::uint32_t> argument_number(std::string_view text) {
    constexpr std::string_view before = "argv[";
    if (!text.starts_with(before) || !text.ends_with(']'))
        return std::nullopt;
    text = text.substr(before.size(), text.size() - before.size() - 1);
    std::uint32_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

}  // namespace

std::optional<double> parameter_number(std::string_view text) {
    const std::string digits(trim(text));
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (digits.empty() || end != digits.c_str() + digits.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::string parse_parameter(std::string_view text, GivenParameter& parameter) {
    const std::size_t equal_sign = text.find('=');
    if (equal_sign == std::string_view::npos)
        return "must be of the form name=value";
    parameter.name = trim(text.substr(0, equal_sign));
    const std::string_view value = trim(text.substr(equal_sign + 1));
    if (parameter.name.empty())
        return "does not have a name";
    if (parameter.name.size() > longest_given_name)
        return format("has a name that is longer than %zu bytes", longest_given_name);
    if (has_control_character(parameter.name))
        return "has a control character in its name";
    parameter.argument = argument_number(value);
    if (parameter.argument)
        return "";
    const std::optional<double> number = parameter_number(value);
    if (!number)
        return "must have a number, or argv[NUMBER], as its value";
    parameter.value = *number;
    return "";
}

GivenParameters parse_parameter_list(std::string_view text) {
    GivenParameters result;
    if (trim(text).empty())
        return result;
    for (const std::string_view item : split(text, ',')) {
        GivenParameter parameter;
        if (const std::string problem = parse_parameter(item, parameter); !problem.empty()) {
            result.problems.push_back(quoted(trim(item)) + " " + problem);
            continue;
        }
        const auto known =
            std::find_if(result.parameters.begin(), result.parameters.end(),
                         [&](const GivenParameter& other) { return other.name == parameter.name; });
        if (known == result.parameters.end())
            result.parameters.push_back(std::move(parameter));
        else
            *known = std::move(parameter);
    }
    return result;
}

}  // namespace vftrace
