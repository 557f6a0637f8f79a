// Whether the program has limited its system calls (seccomp): one of ours could be its end.
#include "base/seccomp.hpp"

#include <charconv>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {
namespace {

bool noted;
long filters_at_start;

// 0: none; 2: filters.
long seccomp_mode() { return syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0); }

long count_filters() {
    char text[4096];
    const long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const long length = syscall(SYS_read, file, text, sizeof text);
    syscall(SYS_close, file);
    constexpr std::string_view name = "\nSeccomp_filters:\t";
    const std::string_view status(text, length > 0 ? static_cast<std::size_t>(length) : 0);
    const std::size_t place = status.find(name);
    long count = 0;
    if (place != status.npos)
        std::from_chars(text + place + name.size(), text + length, count);
    return count;
}

}  // namespace

void note_seccomp_at_start() { filters_at_start = seccomp_mode() > 0 ? count_filters() : 0; }

void note_seccomp_filter() { __atomic_store_n(&noted, true, __ATOMIC_RELEASE); }
bool seccomp_filter_was_noted() { return __atomic_load_n(&noted, __ATOMIC_ACQUIRE); }

bool seccomp_filter_was_added() {
    if (seccomp_filter_was_noted())
        return true;
    if (seccomp_mode() <= 0)
        return false;
    return filters_at_start == 0 || count_filters() > filters_at_start;
}

}  // namespace vftrace
