// The exec functions: the process continues as another program, and everything recorded in memory
// is lost.
//
// The profile is written before that, by `vftrace recover --exec`, so that it exists when the other
// program starts and is older than any file that the other program may write under the same name.
// It is written only if the file to execute exists, because programs try one directory after
// another. The tree file is removed just before the call. If the call still fails, the run
// continues without a tree file and overwrites the profile at its end; only the protection against
// kill -9 is lost. The alternative, a process that waits to see whether exec succeeds, would leave
// a process behind, and write files while the next program runs.
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "base/clock.hpp"
#include "guest/next_function.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/abrupt_end.hpp"
#include "lifecycle/exec_environment.hpp"
#include "lifecycle/recover_from_outside.hpp"
#include "lifecycle/run.hpp"
#include "lifecycle/start_sampling.hpp"
#include "tree/own_record.hpp"
#include "tree/tree_memory.hpp"

namespace vftrace {
namespace {

bool recording_here() { return process_is_ours() && run_phase == RunPhase::recording; }

// A pending signal would kill the next program, which does not have a handler for it.
template <class Exec>
int exec_without_samples(Exec exec) {
    const bool were_taken = stop_samples();
    const int result = exec();
    const int error = errno;
    if (were_taken)
        resume_samples();
    errno = error;
    return result;
}

// Around an exec that will probably succeed.
template <class Exec>
int go_on_as_another_program(Exec exec) {
    if (!tree_file_path()) {
        finish_run(EndOfRun::exec);
        return exec();
    }
    // A child of fork that executes a program was recorded only in passing.
    const char* exec_option[] = {"--exec", nullptr};
    bool wanted = !process_record->forked && process_record->threads;
    if (!wanted || start_recovery(exec_option, true))
        remove_tree_file();
    int result = exec_without_samples(exec);
    // The written files are older than this, so they are not mistaken for those of another process.
    process_record->library_start_unix_ns = run->library_start_unix_ns = unix_time_ns();
    return result;
}

// `exec` calls the real function; `exists` returns whether there is something to execute.
template <class Exists, class Exec>
int around_exec(Exists exists, Exec exec) {
    if (seccomp_filter_was_noted())
        return exec();  // nor are there samples
    if (!recording_here())
        return exec_without_samples(exec);
    int saved_errno = errno;
    bool probable = exists();
    errno = saved_errno;
    if (!probable)
        return exec();
    return go_on_as_another_program(exec);
}

// The name of a file below an open folder, or of an open file if `path` is empty; nullptr if it is
// too long.
const char* path_below(int folder, const char* path, char (&place)[PATH_MAX]) {
    if (*path == '/' || (*path && folder == AT_FDCWD))
        return path;
    constexpr std::string_view descriptors = "/proc/self/fd/";
    std::memcpy(place, descriptors.data(), descriptors.size());
    char* const end = std::to_chars(place + descriptors.size(), place + sizeof place, folder).ptr;
    const std::size_t length = std::strlen(path);
    if (length + 2 > static_cast<std::size_t>(place + sizeof place - end))
        return nullptr;
    *end = *path ? '/' : '\0';
    std::memcpy(end + 1, path, length + 1);
    return place;
}

using Arguments = char* const*;

}  // namespace
}  // namespace vftrace

using namespace vftrace;

#define VFTRACE_WRAPPER extern "C" [[gnu::visibility("default")]]

VFTRACE_WRAPPER int wrapped_execve(const char*, Arguments, Arguments) noexcept asm("execve");
int wrapped_execve(const char* path, Arguments arguments, Arguments environment) noexcept {
    static int (*known)(const char*, Arguments, Arguments);
    const auto real = next_function(known, "execve");
    return with_fitting_environment(path, environment, [&](Arguments fitting) {
        return around_exec([&] { return can_be_executed(AT_FDCWD, path); },
                           [&] { return real(path, arguments, fitting); });
    });
}

VFTRACE_WRAPPER int wrapped_execv(const char*, Arguments) noexcept asm("execv");
int wrapped_execv(const char* path, Arguments arguments) noexcept {
    return wrapped_execve(path, arguments, environ);
}

VFTRACE_WRAPPER int wrapped_execvpe(const char*, Arguments, Arguments) noexcept asm("execvpe");
int wrapped_execvpe(const char* name, Arguments arguments, Arguments environment) noexcept {
    static int (*known)(const char*, Arguments, Arguments);
    const auto real = next_function(known, "execvpe");
    char place[PATH_MAX];
    const char* const path = find_in_path(name, place);
    return with_fitting_environment(path, environment, [&](Arguments fitting) {
        return around_exec([&] { return path != nullptr; },
                           [&] { return real(name, arguments, fitting); });
    });
}

VFTRACE_WRAPPER int wrapped_execvp(const char*, Arguments) noexcept asm("execvp");
int wrapped_execvp(const char* name, Arguments arguments) noexcept {
    return wrapped_execvpe(name, arguments, environ);
}

VFTRACE_WRAPPER int wrapped_execveat(int, const char*, Arguments, Arguments, int) noexcept
    asm("execveat");
int wrapped_execveat(int folder, const char* path, Arguments arguments, Arguments environment,
                     int flags) noexcept {
    static int (*known)(int, const char*, Arguments, Arguments, int);
    const auto real = next_function(known, "execveat");
    char place[PATH_MAX];
    return with_fitting_environment(
        path_below(folder, path, place), environment, [&](Arguments fitting) {
            return around_exec([&] { return can_be_executed(folder, path, flags); },
                               [&] { return real(folder, path, arguments, fitting, flags); });
        });
}

VFTRACE_WRAPPER int wrapped_fexecve(int, Arguments, Arguments) noexcept asm("fexecve");
int wrapped_fexecve(int file, Arguments arguments, Arguments environment) noexcept {
    static int (*known)(int, Arguments, Arguments);
    const auto real = next_function(known, "fexecve");
    char place[PATH_MAX];
    return with_fitting_environment(
        path_below(file, "", place), environment, [&](Arguments fitting) {
            return around_exec([&] { return can_be_executed(file, "", AT_EMPTY_PATH); },
                               [&] { return real(file, arguments, fitting); });
        });
}

// Puts `first` and the arguments after it into an array on the caller's stack, because these
// functions may be called in signal handlers: `array` has (count_arguments(list) + 2) elements.
// Leaves `list` after the nullptr.
static std::size_t count_arguments(va_list list) {
    va_list rest;
    va_copy(rest, list);
    std::size_t count = 0;
    while (va_arg(rest, char*))
        count++;
    va_end(rest);
    return count;
}
#define VFTRACE_COLLECT(array, list, first)                                                        \
    va_start(list, first);                                                                         \
    std::size_t others = count_arguments(list);                                                    \
    auto array = static_cast<char**>(alloca((others + 2) * sizeof(char*)));                        \
    array[0] = const_cast<char*>(first);                                                           \
    for (std::size_t i = 1; i < others + 2; i++)                                                   \
        array[i] = va_arg(list, char*);

VFTRACE_WRAPPER int wrapped_execl(const char*, const char*, ...) noexcept asm("execl");
int wrapped_execl(const char* path, const char* first, ...) noexcept {
    va_list list;
    VFTRACE_COLLECT(arguments, list, first);
    va_end(list);
    return wrapped_execv(path, arguments);
}

VFTRACE_WRAPPER int wrapped_execlp(const char*, const char*, ...) noexcept asm("execlp");
int wrapped_execlp(const char* name, const char* first, ...) noexcept {
    va_list list;
    VFTRACE_COLLECT(arguments, list, first);
    va_end(list);
    return wrapped_execvp(name, arguments);
}

VFTRACE_WRAPPER int wrapped_execle(const char*, const char*, ...) noexcept asm("execle");
int wrapped_execle(const char* path, const char* first, ...) noexcept {
    va_list list;
    VFTRACE_COLLECT(arguments, list, first);
    Arguments environment = va_arg(list, char**);
    va_end(list);
    return wrapped_execve(path, arguments, environment);
}
