// vftrace_check_config: the tool of Vftrace 2.0, for scripts that call it. As there, misspelt keys
// are told but do not change the exit status; `vftrace config check` is stricter.
#include <cstdio>

#include <fmt/format.h>

#include "config/config.hpp"

int main(int argc, char** argv) {
    if (argc != 2) {
        fmt::print(stderr, "Usage: vftrace_check_config <config file>\n");
        return 1;
    }
    const vftrace::ConfigurationCheck result = vftrace::check_configuration_file(argv[1]);
    fmt::print(stderr, "{}", result.report);
    if (result.errors > 0)
        return 1;
    fmt::print("Checking of config file {} is complete\n", argv[1]);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
