#include "commands/environment_variable.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "commands/commands.hpp"

namespace vftrace::tools {

std::string environment_variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void set_environment_variable(const std::string& name, const std::string& value) {
    if (setenv(name.c_str(), value.c_str(), 1) != 0)
        throw CommandError(fmt::format("{}: {}", name, std::strerror(errno)));
}

}  // namespace vftrace::tools
