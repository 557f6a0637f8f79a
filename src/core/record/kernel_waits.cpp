#include "record/kernel_waits.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/kernel_files.hpp"

namespace vftrace {
namespace {

struct CallKind {
    long number;
    WaitKind kind;
};

// Calls whose first argument is a descriptor, which determines what is waited for.
constexpr long with_descriptor[] = {
    SYS_read,      SYS_write,     SYS_pread64,  SYS_pwrite64,        SYS_readv,
    SYS_writev,    SYS_preadv,    SYS_pwritev,  SYS_preadv2,         SYS_pwritev2,
    SYS_fsync,     SYS_fdatasync, SYS_ioctl,    SYS_sync_file_range, SYS_fallocate,
    SYS_ftruncate, SYS_close,     SYS_sendfile, SYS_copy_file_range, SYS_splice,
    SYS_tee,       SYS_vmsplice,  SYS_fstat,    SYS_getdents64,      SYS_lseek};

constexpr CallKind call_kinds[] = {
    {SYS_futex, WaitKind::lock},          {SYS_semtimedop, WaitKind::lock},
    {SYS_flock, WaitKind::lock},          {SYS_fcntl, WaitKind::lock},
#ifdef SYS_semop
    {SYS_semop, WaitKind::lock},
#endif
#ifdef SYS_futex_waitv
    {SYS_futex_waitv, WaitKind::lock},
#endif
    {SYS_nanosleep, WaitKind::sleep},     {SYS_clock_nanosleep, WaitKind::sleep},
#ifdef SYS_poll
    {SYS_poll, WaitKind::poll},           {SYS_select, WaitKind::poll},
    {SYS_epoll_wait, WaitKind::poll},
#endif
    {SYS_ppoll, WaitKind::poll},          {SYS_pselect6, WaitKind::poll},
    {SYS_epoll_pwait, WaitKind::poll},
#ifdef SYS_epoll_pwait2
    {SYS_epoll_pwait2, WaitKind::poll},
#endif
    {SYS_recvfrom, WaitKind::socket},     {SYS_recvmsg, WaitKind::socket},
    {SYS_recvmmsg, WaitKind::socket},     {SYS_sendto, WaitKind::socket},
    {SYS_sendmsg, WaitKind::socket},      {SYS_sendmmsg, WaitKind::socket},
    {SYS_accept, WaitKind::socket},       {SYS_accept4, WaitKind::socket},
    {SYS_connect, WaitKind::socket},      {SYS_shutdown, WaitKind::socket},
#ifdef SYS_open
    {SYS_open, WaitKind::file},           {SYS_stat, WaitKind::file},
    {SYS_lstat, WaitKind::file},          {SYS_unlink, WaitKind::file},
    {SYS_rename, WaitKind::file},         {SYS_mkdir, WaitKind::file},
#endif
    {SYS_openat, WaitKind::file},         {SYS_newfstatat, WaitKind::file},
    {SYS_statx, WaitKind::file},          {SYS_unlinkat, WaitKind::file},
    {SYS_renameat2, WaitKind::file},      {SYS_truncate, WaitKind::file},
    {SYS_sync, WaitKind::file},           {SYS_syncfs, WaitKind::file},
    {SYS_msync, WaitKind::file},          {SYS_io_getevents, WaitKind::file},
    {SYS_io_uring_enter, WaitKind::file}, {SYS_wait4, WaitKind::process},
    {SYS_waitid, WaitKind::process}};

constexpr std::size_t longest_text = 256;

// Takes the number at the start of the text, and the space behind it.
std::optional<long> take_number(std::string_view& text, int base) {
    if (base == 16 && text.starts_with("0x"))
        text.remove_prefix(2);
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc())
        return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(' '))
        text.remove_prefix(1);
    return number;
}

}  // namespace

WaitKind kind_of_descriptor(long descriptor, const char* descriptors) {
    char path[64];
    const std::size_t length = std::min(std::strlen(descriptors), sizeof path / 2);
    std::memcpy(path, descriptors, length);
    path[length] = '/';
    *std::to_chars(path + length + 1, path + sizeof path - 1, descriptor).ptr = '\0';
    char name[longest_text];
    const long bytes = syscall(SYS_readlinkat, AT_FDCWD, path, name, sizeof name);
    const std::string_view target(name, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
    if (target.starts_with("pipe:"))
        return WaitKind::pipe;
    if (target.starts_with("socket:"))
        return WaitKind::socket;
    if (target.starts_with("/dev/pts/") || target.starts_with("/dev/tty") ||
        target == "/dev/console")
        return WaitKind::terminal;
    return target.starts_with('/') ? WaitKind::file : WaitKind::other;
}

// Linux, Documentation/filesystems/proc.rst and fs/proc/base.c: "running", or the number of the
// call, its arguments, stack pointer and program counter; -1 outside system calls.
WaitKind kind_of_wait(const char* system_call, const char* descriptors) {
    char room[longest_text];
    std::string_view text = start_of_file(system_call, room);
    constexpr int decimal = 10, hexadecimal = 16;
    const std::optional<long> call = take_number(text, decimal);
    if (!call)
        return WaitKind::not_seen;
    if (*call == -1)
        return WaitKind::memory;
    for (const CallKind& known : call_kinds)
        if (known.number == *call)
            return known.kind;
    for (const long number : with_descriptor)
        if (number == *call) {
            const std::optional<long> descriptor = take_number(text, hexadecimal);
            return descriptor ? kind_of_descriptor(*descriptor, descriptors) : WaitKind::other;
        }
    return WaitKind::other;
}

}  // namespace vftrace
