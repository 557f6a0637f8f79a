#include "lifecycle/exec_environment.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/launcher.hpp"
#include "base/message.hpp"
#include "guest/seccomp.hpp"
#include "symbol/preload_list.hpp"

namespace vftrace {
namespace {

constexpr std::string_view variable = "LD_PRELOAD=";
// Larger environments are left unchanged, because they are copied to the caller's stack, which may
// be small.
constexpr std::size_t most_entries = 1000, longest_list = 8000;

// Indexed by Obstacle, in memory that children of fork share with their parents: a script that
// starts such programs a thousand times prints only one message.
bool* reported;

// Also allows messages to a stderr that the launcher has created, through which it collects the
// output of ranks.
bool may_speak(char* const* environment) {
    if (!is_speaker(Speaker::job, environment))
        return false;
    return stderr_is_ours() || (launcher_rank(environment) && !launcher_rank(environ));
}

}  // namespace

void prepare_exec_environment() {
    char* const list = std::getenv("LD_PRELOAD");
    if (!list || !find_preloaded(list).own)
        return;
    const std::size_t prefix = sanitizer_prefix(list);
    std::memmove(list, list + prefix, std::strlen(list + prefix) + 1);
    void* const shared = mmap(nullptr, obstacles * sizeof *reported, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED)
        reported = static_cast<bool*>(shared);
}

bool can_be_executed(int folder, const char* path, int flags) {
    struct stat information;
    return fstatat(folder, path, &information, flags) == 0 && S_ISREG(information.st_mode) &&
           ((flags & AT_EMPTY_PATH) || faccessat(folder, path, X_OK, AT_EACCESS) == 0);
}

const char* find_in_path(const char* name, char (&path)[PATH_MAX]) {
    if (std::strchr(name, '/'))
        return can_be_executed(AT_FDCWD, name) ? name : nullptr;
    const char* places = std::getenv("PATH");
    if (!places)
        places = "/bin:/usr/bin";
    std::size_t length = std::strlen(name);
    for (const char* place = places;;) {
        std::size_t size = std::strcspn(place, ":");
        if (size + length + 2 < sizeof path) {
            std::memcpy(path, place, size);
            path[size] = '/';
            std::memcpy(path + size + (size > 0), name, length + 1);  // empty: working directory
            if (can_be_executed(AT_FDCWD, path))
                return path;
        }
        if (place[size] == '\0')
            return nullptr;
        place += size + 1;
    }
}

FittingEnvironment::FittingEnvironment(const char* path, char* const* environment)
    : path_(path), environment_(environment) {
    if (seccomp_filter_was_noted())
        return;  // the program's file cannot be examined
    const char* list = nullptr;
    for (; environment && environment[entries_]; entries_++)  // the first of several LD_PRELOAD
        if (!list && std::string_view(environment[entries_]).starts_with(variable)) {
            preload_ = entries_;
            list = environment[entries_] + variable.size();
        }
    if (!path || !list || entries_ > most_entries || std::strlen(list) > longest_list ||
        !find_preloaded(list).own)
        return;
    const int saved_errno = errno;
    image_ = examine_program_image(path);
    errno = saved_errno;
    if (image_.obstacle != Obstacle::none || (*image_.sanitizer && !find_preloaded(list).sanitizer))
        text_bytes_ = variable.size() + longest_fitting_list(list);
}

void FittingEnvironment::make(char** entries, char* text) const {
    std::memcpy(text, variable.data(), variable.size());
    char* const list = text + variable.size();
    make_fitting_list(environment_[preload_] + variable.size(), image_, list);
    for (std::size_t i = 0; i < entries_; i++)
        if (i != preload_)
            *entries++ = environment_[i];
        else if (*list)
            *entries++ = text;
    *entries = nullptr;
    report_obstacle();
}

void FittingEnvironment::report_obstacle() const {
    const char* const reason = reason_and_remedy(image_.obstacle);
    if (!reason || !may_speak(environment_) ||
        (reported && __atomic_exchange_n(&reported[static_cast<std::size_t>(image_.obstacle)], true,
                                         __ATOMIC_RELAXED)))
        return;
    const int saved_errno = errno;
    const char* const parts[] = {"vftrace: ", *image_.interpreter ? image_.interpreter : path_, " ",
                                 reason, "\n"};
    iovec pieces[std::size(parts)];
    for (std::size_t i = 0; i < std::size(parts); i++)
        pieces[i] = {const_cast<char*>(parts[i]), std::strlen(parts[i])};
    syscall(SYS_writev, STDERR_FILENO, pieces, std::size(pieces));
    errno = saved_errno;
}

}  // namespace vftrace
