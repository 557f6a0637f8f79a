// posix_spawn: the C library executes the program in a child without calling a wrapper of exec, so
// the environment is adapted here.
#include <climits>
#include <spawn.h>

#include "guest/next_function.hpp"
#include "lifecycle/exec_environment.hpp"

namespace {

using Arguments = char* const*;
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, Arguments, Arguments);

}  // namespace

using namespace vftrace;

#define VFTRACE_WRAP_SPAWN(wrapper, name, find)                                                    \
    extern "C" [[gnu::visibility("default")]] int wrapper(                                         \
        pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,          \
        Arguments, Arguments) noexcept asm(name);                                                  \
    int wrapper(pid_t* child, const char* program, const posix_spawn_file_actions_t* actions,      \
                const posix_spawnattr_t* attributes, Arguments arguments,                          \
                Arguments environment) noexcept {                                                  \
        static Spawn known;                                                                        \
        const Spawn real = next_function(known, name);                                             \
        [[maybe_unused]] char place[PATH_MAX];                                                     \
        return with_fitting_environment(find, environment, [&](Arguments fitting) {                \
            return real(child, program, actions, attributes, arguments, fitting);                  \
        });                                                                                        \
    }
VFTRACE_WRAP_SPAWN(wrapped_posix_spawn, "posix_spawn", program)
VFTRACE_WRAP_SPAWN(wrapped_posix_spawnp, "posix_spawnp", find_in_path(program, place))
