// The option `parameters`: values given by the user instead of the program.
#include "parameters/given_parameters.hpp"

#include <fcntl.h>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "base/message.hpp"
#include "base/text.hpp"
#include "config/parameter_list.hpp"
#include "record/parameter_record.hpp"

namespace vftrace {
namespace {

static_assert(longest_given_name == longest_parameter_name);

// Arguments as the kernel keeps them: argv is not available yet when a library starts. Each has its
// NUL, so that empty ones are kept.
std::string read_arguments() {
    constexpr std::size_t longest = 16 << 20;  // arguments of any program are shorter
    std::string text;
    const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return text;
    char buffer[4096];
    for (ssize_t length; text.size() < longest && (length = read(file, buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(length));
    close(file);
    return text;
}

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
        arguments = read_arguments();
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
