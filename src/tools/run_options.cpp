// What `vftrace run --option KEY=VALUE` gives to the library.
#include "tools/run_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/message.hpp"
#include "config/advice.hpp"
#include "config/environment.hpp"
#include "tools/commands.hpp"
#include "tools/environment_variable.hpp"

namespace vftrace::tools {

void set_option(const std::string& text) {
    const std::size_t equal_sign = text.find('=');
    if (equal_sign == std::string::npos)
        throw UsageError(fmt::format("--option {}: must be of the form key=value", text));
    const std::string key = text.substr(0, equal_sign), value = text.substr(equal_sign + 1);
    const bool exists = std::any_of(option_table.begin(), option_table.end(),
                                    [&](const OptionRow& row) { return row.path == key; });
    if (!exists)
        throw UsageError(fmt::format("--option {}: there is no option \"{}\"{} (vftrace config doc "
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

}  // namespace vftrace::tools
