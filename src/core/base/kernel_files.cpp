#include "base/kernel_files.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {

SystemCallFile::SystemCallFile(const char* path)
    : saved_errno_(errno),
      descriptor_(static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC))) {}

SystemCallFile::~SystemCallFile() {
    if (descriptor_ >= 0)
        syscall(SYS_close, descriptor_);
    errno = saved_errno_;
}

std::size_t SystemCallFile::read(std::span<char> buffer) const {
    if (descriptor_ < 0)
        return 0;
    long bytes;
    do
        bytes = syscall(SYS_read, descriptor_, buffer.data(), buffer.size());
    while (bytes < 0 && errno == EINTR);
    return static_cast<std::size_t>(std::max(bytes, 0L));
}

std::string_view start_of_file(const char* path, std::span<char> buffer) {
    return {buffer.data(), SystemCallFile(path).read(buffer)};
}

std::optional<ProcessStat> parse_process_stat(std::string_view text) {
    // Field 2, the name, may contain anything, even line ends and parentheses.
    const std::size_t name_end = text.rfind(')');
    if (name_end == text.npos)
        return std::nullopt;
    text.remove_prefix(name_end + 1);
    constexpr int first = 3, parent_field = 4, flags_field = 9, threads_field = 20,
                  start_field = 22;
    ProcessStat stat;
    for (int field = first; field <= start_field; field++) {
        text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
        const std::string_view word = text.substr(0, text.find_first_of(" \n"));
        if (word.empty())
            return std::nullopt;
        const auto take = [&](auto& number) {
            return std::from_chars(word.data(), word.data() + word.size(), number).ec ==
                   std::errc();
        };
        bool is_good = true;
        switch (field) {
        case first:
            stat.state = word.front();
            break;
        case parent_field:
            is_good = take(stat.parent);
            break;
        case flags_field:
            is_good = take(stat.flags);
            break;
        case threads_field:
            is_good = take(stat.threads);
            break;
        case start_field:
            is_good = take(stat.start);
            break;
        }
        if (!is_good)
            return std::nullopt;
        text.remove_prefix(word.size());
    }
    return stat;
}

std::optional<ProcessStat> process_stat(std::int64_t process, std::int64_t thread) {
    char path[80];
    if (thread == 0)
        std::snprintf(path, sizeof path, "/proc/%lld/stat", static_cast<long long>(process));
    else
        std::snprintf(path, sizeof path, "/proc/%lld/task/%lld/stat",
                      static_cast<long long>(process), static_cast<long long>(thread));
    char text[1536];  // 52 numbers, and a name of 64 bytes at most
    return parse_process_stat(start_of_file(path, text));
}

std::uint64_t process_start(std::int64_t process) {
    const std::optional<ProcessStat> stat = process_stat(process);
    return stat && !stat->has_ended() ? stat->start : 0;
}

std::uint64_t own_pid_namespace() {
    struct stat information;
    return stat("/proc/self/ns/pid", &information) == 0 ? information.st_ino : 0;
}

std::string_view boot_id(std::span<char, 64> buffer) {
    return start_of_file("/proc/sys/kernel/random/boot_id", buffer);
}

std::string own_arguments(std::size_t most_bytes) {
    const SystemCallFile file("/proc/self/cmdline");
    std::string text;
    char buffer[4096];
    std::size_t wanted, length;
    do {
        wanted = std::min(sizeof buffer, most_bytes - text.size());
        length = file.read({buffer, wanted});
        text.append(buffer, length);
    } while (length == wanted && text.size() < most_bytes);  // a short read is the end of this file
    return text;
}

}  // namespace vftrace
