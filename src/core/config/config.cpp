// The configuration of a run: where it comes from, and messages about it.
#include "config/config.hpp"

#include <cstdlib>

#include "base/message.hpp"
#include "base/text.hpp"
#include "config/checks.hpp"
#include "config/environment.hpp"
#include "config/json_reader.hpp"
#include "config/scenario.hpp"

namespace vftrace {

Configuration read_configuration(Findings& findings) {
    CLocale c_locale;
    Configuration configuration;
    Options& options = configuration.options;

    const char* off = std::getenv("VFTR_OFF");
    if (off && parse_boolean(off) == true) {
        options.off = true;
        return configuration;
    }
    const char* path = std::getenv(config_file_variable);
    if (path && *path) {
        if (read_options_from_file(path, options, findings))
            configuration.source = path;
        else if (findings.count(Severity::malformed) > 0)  // the error does not name the file
            findings.add(Severity::warning,
                         "the configuration file " + quoted(path) + " is ignored");
    }
    read_options_from_environment(options, findings);
    check_combinations(options, findings);
    return configuration;
}

Configuration load_configuration() {
    constexpr std::size_t most_reported = 50;
    Findings findings;
    Configuration configuration = read_configuration(findings);
    std::size_t reported = 0;
    for (const Finding& finding : findings.list()) {
        if (reported == most_reported)
            break;
        message_of(Speaker::job, "%s", finding.text.c_str());
        reported++;
    }
    if (findings.count() > reported)
        message_of(Speaker::job, "%zu more %s in the configuration not shown",
                   findings.count() - reported,
                   findings.count() - reported == 1 ? "problem" : "problems");
    if (findings.count(Severity::error) > 0)
        message_of(Speaker::job,
                   "invalid values in the configuration are ignored; the run continues");
    return configuration;
}

ConfigurationCheck check_configuration_file(const std::string& path) {
    CLocale c_locale;
    Findings findings;
    Options options;
    if (read_options_from_file(path, options, findings)) {
        check_combinations(options, findings);
        check_formulas(options, findings);
    }

    ConfigurationCheck check;
    check.errors = findings.count(Severity::error) + findings.count(Severity::unreadable) +
                   findings.count(Severity::malformed);
    check.unknown_keys = findings.count(Severity::unknown_key);
    check.warnings = findings.count(Severity::warning);
    check.findings = findings.list();
    return check;
}

}  // namespace vftrace
