// vftrace config: shows the default configuration, checks a file, documents all options.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>

#include "base/message.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "commands/foreign_text.hpp"
#include "config/config.hpp"

namespace vftrace::tools {
namespace {

int check(const std::string& path) {
    if (access(path.c_str(), R_OK) != 0)
        throw CommandError(fmt::format("{}: {}", path, std::strerror(errno)));
    const ConfigurationCheck result = check_configuration_file(path);
    for (const Finding& finding : result.findings)
        message("%s", finding.text.c_str());
    if (result.errors == 0 && result.unknown_keys == 0) {
        show("{}: no errors\n", path);
        return status_ok;
    }
    return status_found_errors;
}

}  // namespace

void add_config_command(const Command& app, int& status) {
    const Command config =
        app.add_subcommand("config", "Print, check and describe the configuration");
    config.require_subcommand();

    const Command defaults = config.add_subcommand("default", "Print the default configuration");
    auto compatible = std::make_shared<bool>(false);
    defaults.add_flag("--compatible", *compatible,
                      "Print only the options that Vftrace 2.0 knows, in its format");
    defaults.callback([compatible] {
        fmt::print("{}", *compatible ? print_compatible_default() : print_configuration(Options()));
    });

    const Command checker = config.add_subcommand(
        "check", "Check a configuration file; exit status 1 if it has errors or unknown keys");
    auto path = std::make_shared<std::string>();
    checker.add_option("FILE", *path, "Configuration file (JSON)").required().type_name("");
    checker.callback([path, &status] { status = check(*path); });

    const Command documentation =
        config.add_subcommand("doc", "Print a description of all options (Markdown)");
    documentation.callback([] { fmt::print("{}", document_options()); });
}

}  // namespace vftrace::tools
