// Turns a limit on the size of files (ulimit -f, RLIMIT_FSIZE) into an error of our own writes
// instead of a SIGXFSZ, which kills the process.
#pragma once

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

namespace vftrace {

// Calls write(), which makes one system call that writes to a file, and returns its result: a
// number of bytes, or -1 with errno, which is EFBIG beyond the limit. The kernel sends the signal
// to the thread that writes. So the signal is blocked during the write, and one that this write has
// caused is removed; one that was already pending because the program blocks it stays.
// Async-signal-safe.
template <class Write>
ssize_t write_within_limit(Write&& write) {
    rlimit64 limit;
    if (syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, nullptr, &limit) == 0 &&
        limit.rlim_cur == RLIM64_INFINITY)
        return write();
    constexpr std::uint64_t size_signal = std::uint64_t{1} << (SIGXFSZ - 1);
    std::uint64_t before = 0, pending = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &size_signal, &before, sizeof before);
    if (before & size_signal)
        syscall(SYS_rt_sigpending, &pending, sizeof pending);
    const ssize_t result = write();
    const int write_errno = errno;
    if (result < 0 && write_errno == EFBIG && !(pending & size_signal)) {
        const timespec at_once{0, 0};
        syscall(SYS_rt_sigtimedwait, &size_signal, nullptr, &at_once, sizeof size_signal);
    }
    if (!(before & size_signal))
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
    errno = write_errno;
    return result;
}

}  // namespace vftrace
