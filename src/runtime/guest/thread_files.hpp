// The kernel's files about the threads of this process, read by system calls only: for signal
// handlers, and for programs that have run out of other resources.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {

// The path of a file of /proc about a thread, such as "schedstat".
class ThreadFile {
  public:
    ThreadFile(long thread, std::string_view file) {
        constexpr std::string_view folder = "/proc/self/task/";
        std::memcpy(path_, folder.data(), folder.size());
        char* end = std::to_chars(path_ + folder.size(), path_ + longest - 1, thread).ptr;
        *end++ = '/';
        std::memcpy(end, file.data(), file.size());
        end[file.size()] = '\0';
    }
    const char* path() const { return path_; }

  private:
    static constexpr int longest = 40;
    char path_[longest + 20];
};

struct DirectoryEntry {  // of getdents64
    std::uint64_t inode;
    std::int64_t next;
    std::uint16_t bytes;
    std::uint8_t type;
    char name[];
};

// Calls visit(folder, thread, name) for each thread of this process, with the descriptor of
// /proc/self/task, the thread's number, and that number as text. `entries` has `room` bytes for
// what the kernel reports, because stacks may be small.
template <class Visit>
void visit_own_threads(char* entries, std::size_t room, Visit visit) {
    const long folder =
        syscall(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return;
    long bytes;
    while ((bytes = syscall(SYS_getdents64, folder, entries, room)) > 0)
        for (long at = 0; at < bytes;) {
            const auto* entry = reinterpret_cast<const DirectoryEntry*>(entries + at);
            long thread = 0;
            std::from_chars(entry->name, entry->name + std::strlen(entry->name), thread);
            if (thread > 0)
                visit(folder, thread, entry->name);
            at += entry->bytes;
        }
    syscall(SYS_close, folder);
}

}  // namespace vftrace
