#include "commands/run_options.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/environment_variable.hpp"
#include "config/advice.hpp"
#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/parameter_list.hpp"

namespace vftrace::tools {

void set_option(const std::string& text) {
    const std::size_t equal_sign = text.find('=');
    if (equal_sign == std::string::npos)
        throw UsageError(fmt::format("--option {}: must be of the form key=value", text));
    const std::string key = text.substr(0, equal_sign), value = text.substr(equal_sign + 1);
    const bool exists = std::any_of(option_table.begin(), option_table.end(),
                                    [&](const OptionRow& row) { return row.path == key; });
    if (!exists)
        throw UsageError(fmt::format("--option {}: \"{}\" is not an option{} (vftrace config doc "
                                     "lists them)",
                                     text, key, did_you_mean(closest_option(key))));
    Options options;
    Findings findings;
    read_option(key, value, options, findings);
    if (findings.count() == 0)
        return set_environment_variable(environment_name(key), value);
    message_of(Speaker::job, "--option %s is ignored: %s", text.c_str(),
               findings.list().front().text.c_str());
}

void add_parameters(const std::vector<std::string>& texts) {
    std::vector<GivenParameter> added;
    for (const std::string& text : texts) {
        GivenParameter parameter;
        std::string problem = parse_parameter(text, parameter);
        if (problem.empty() && text.find(',') != std::string::npos)
            problem = "contains a comma; use one --parameter per parameter";
        if (!problem.empty())
            throw UsageError(fmt::format("--parameter {} {}", text, problem));
        if (std::any_of(added.begin(), added.end(),
                        [&](const GivenParameter& other) { return other.name == parameter.name; }))
            throw UsageError(
                fmt::format("--parameter {}: \"{}\" is given twice", text, parameter.name));
        added.push_back(std::move(parameter));
    }
    if (texts.empty())
        return;
    Findings findings;  // reported by the library
    std::string list = read_configuration(findings).options.parameters;
    for (const std::string& text : texts)
        list += (trim(list).empty() ? "" : ",") + text;
    set_environment_variable(environment_name("parameters"), list);
}

}  // namespace vftrace::tools
