// The variable by which `vftrace run` informs all processes that it starts.
#pragma once

#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "base/launcher.hpp"

namespace vftrace {

// The name of the variable. Its value is stderr_is_terminal if a launcher is started that forwards
// the stderr of its ranks to a terminal, and any other value if not.
inline constexpr const char* run_variable = "VFTRACE_RUN";
inline constexpr std::string_view stderr_is_terminal = "terminal";

// Whether stderr of this process, started by `vftrace run`, goes to a terminal.
inline bool run_ends_at_terminal() {
    const char* const run = std::getenv(run_variable);
    return run && (isatty(STDERR_FILENO) || (run == stderr_is_terminal && launcher_rank(environ)));
}

}  // namespace vftrace
