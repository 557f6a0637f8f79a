// What the library says to its user: one line on stderr, prefixed "vftrace: ".
#include "base/message.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace vftrace {
namespace {

struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool known = false;
    bool open = false;
};
FileIdentity stderr_at_start;

bool holding;
char held[16 * 1024];
std::size_t held_size;

void tell(const char* text, std::size_t size) {
    if (holding && held_size + size <= sizeof held) {
        std::memcpy(held + held_size, text, size);
        held_size += size;
    } else if (!holding && size > 0 && stderr_is_ours()) {
        [[maybe_unused]] ssize_t written = write(STDERR_FILENO, text, size);
    }
}

void say(const char* prefix, const char* pattern, std::va_list arguments) {
    int saved_errno = errno;
    // A fixed buffer: messages must not need the program's allocator.
    char line[4096];
    std::size_t used = std::strlen(prefix);
    std::memcpy(line, prefix, used);
    int length = std::vsnprintf(line + used, sizeof line - used - 1, pattern, arguments);
    if (length > 0) {
        used += static_cast<std::size_t>(length);
        if (used > sizeof line - 2)
            used = sizeof line - 2;
        line[used++] = '\n';
        tell(line, used);
    }
    errno = saved_errno;
}

}  // namespace

void remember_stderr() {
    struct stat now;
    stderr_at_start.open = fstat(STDERR_FILENO, &now) == 0;
    if (stderr_at_start.open) {
        stderr_at_start.device = now.st_dev;
        stderr_at_start.inode = now.st_ino;
    }
    stderr_at_start.known = true;
}

bool stderr_is_ours() {
    struct stat now;
    if (fstat(STDERR_FILENO, &now) != 0)
        return false;
    if (!stderr_at_start.known)
        return true;
    return stderr_at_start.open && now.st_dev == stderr_at_start.device &&
           now.st_ino == stderr_at_start.inode;
}

void hold_messages() { holding = true; }

void tell_messages() {
    int saved_errno = errno;
    holding = false;
    tell(held, held_size);
    held_size = 0;
    errno = saved_errno;
}

void message(const char* pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    say("vftrace: ", pattern, arguments);
    va_end(arguments);
}

void message_verbatim(const char* pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    say("", pattern, arguments);
    va_end(arguments);
}

}  // namespace vftrace
