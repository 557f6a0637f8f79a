#include "parameters/given_parameters.hpp"

#include <fcntl.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/kernel_files.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "config/parameter_list.hpp"
#include "record/parameter_record.hpp"

namespace vftrace {
namespace {

static_assert(longest_given_name == longest_parameter_name);

constexpr std::size_t longest_arguments = 16 << 20;  // those of any program are shorter

std::optional<std::string_view> argument_of(std::string_view arguments, std::uint32_t number) {
    for (; !arguments.empty(); number--) {
        const std::size_t end = arguments.find('\0');
        if (number == 0 || end == std::string_view::npos)
            return number == 0 ? std::optional(arguments.substr(0, end)) : std::nullopt;
        arguments.remove_prefix(end + 1);
    }
    return std::nullopt;
}

// The value, or nothing if an error was reported.
std::optional<double> value_of(const GivenParameter& parameter, std::string& arguments) {
    if (!parameter.argument)
        return parameter.value;
    if (arguments.empty())
        arguments = own_arguments(longest_arguments);
    const std::optional<std::string_view> text = argument_of(arguments, *parameter.argument);
    const std::optional<double> value = text ? parameter_number(*text) : std::nullopt;
    if (!text)
        message_of(
            Speaker::job,
            "the parameter %s is not recorded: the program does not have an argument argv[%u]",
            parameter.name.c_str(), *parameter.argument);
    else if (!value)
        message_of(Speaker::job,
                   "the parameter %s is not recorded: argv[%u], \"%.200s\", is not a number",
                   parameter.name.c_str(), *parameter.argument, std::string(*text).c_str());
    return value;
}

}  // namespace

void for_each_given_parameter(const std::string& text,
                              FunctionRef<bool(const char* name, double value)> take) {
    if (text.empty())
        return;
    CLocale decimal_points;
    std::string arguments;
    for (const GivenParameter& parameter : parse_parameter_list(text).parameters)
        if (const std::optional<double> value = value_of(parameter, arguments);
            value && !take(parameter.name.c_str(), *value))
            return message_of(Speaker::job,
                              "the parameter %s and those after it are not recorded: there are "
                              "more than %zu",
                              parameter.name.c_str(), most_parameters);
}

}  // namespace vftrace
