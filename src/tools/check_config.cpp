// vftrace_check_config: the tool of Vftrace 2.0, for scripts that call it. As there, misspelt keys
// are told but do not change the exit status; `vftrace config check` is stricter.
#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/version.hpp"
#include "config/config.hpp"

namespace {

constexpr const char* usage = "Usage: vftrace_check_config <config file>\n";

int print(const std::string& text) {
    fmt::print("{}", text);
    return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "{}", usage);
        return 1;
    }
    const std::string_view argument = argv[1];
    if (argument == "--help")
        return print(usage);
    if (argument == "--version")
        return print(fmt::format("vftrace {}\n", vftrace::version));
    const vftrace::ConfigurationCheck result = vftrace::check_configuration_file(argv[1]);
    fmt::print(stderr, "{}", result.report);
    if (result.errors > 0)
        return 1;
    return print(fmt::format("Checking of config file {} is complete\n", argv[1]));
}
