// vftrace_generate_default_config: the tool of Vftrace 2.0, for scripts that call it.
#include <cstdio>
#include <string_view>

#include <fmt/core.h>

#include "base/version.hpp"
#include "config/config.hpp"

int main(int argc, char** argv) {
    const std::string_view argument = argc > 1 ? argv[1] : "";
    if (argument == "--help")
        fmt::print("Usage: vftrace_generate_default_config\n");
    else if (argument == "--version")
        fmt::print("vftrace {}\n", vftrace::version);
    else
        fmt::print("{}", vftrace::print_compatible_default());
    return std::fflush(stdout) == 0 ? 0 : 1;
}
