// vftrace_generate_default_config: the tool of Vftrace 2.0, for scripts that call it.
#include <cstdio>

#include <fmt/format.h>

#include "config/config.hpp"

int main() {
    fmt::print("{}", vftrace::print_compatible_default());
    return std::fflush(stdout) == 0 ? 0 : 1;
}
