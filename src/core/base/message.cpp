#include "base/message.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size_limit.hpp"
#include "base/utf8.hpp"

namespace vftrace {
namespace {

struct FileIdentity {
    dev_t device = 0;
    ino_t inode = 0;
    bool known = false;
    bool open = false;
};
FileIdentity stderr_at_start;

bool silent;
bool holding;
char held[16 * 1024];
std::size_t held_size;

void print(const char* text, std::size_t size) {
    if (silent)
        return;
    if (holding && held_size + size <= sizeof held) {
        std::memcpy(held + held_size, text, size);
        held_size += size;
    } else if (!holding && size > 0 && stderr_is_ours()) {
        write_within_limit([&] { return write(STDERR_FILENO, text, size); });
    }
}

constexpr char prefix[] = "vftrace: ";
constexpr std::size_t prefix_length = sizeof prefix - 1;

// Indents all lines but the first; returns the new length. Text that does not fit is cut.
std::size_t indent_lines(char* text, std::size_t length, std::size_t room) {
    for (std::size_t i = 0; i + 1 < length && length + prefix_length <= room; i++)
        if (text[i] == '\n' && text[i + 1] != '\n') {
            std::memmove(text + i + 1 + prefix_length, text + i + 1, length - i - 1);
            std::memset(text + i + 1, ' ', prefix_length);
            length += prefix_length;
        }
    return length;
}

void say(const char* pattern, std::va_list arguments) {
    int saved_errno = errno;
    // A fixed buffer, because messages must not need the program's allocator.
    char line[4096];
    std::memcpy(line, prefix, prefix_length);
    const std::size_t room = sizeof line - prefix_length - 1;
    int length = std::vsnprintf(line + prefix_length, room, pattern, arguments);
    if (length > 0) {
        std::size_t used = std::min(static_cast<std::size_t>(length), room - 1);
        used = make_printable(line + prefix_length, used, room);
        used = prefix_length + indent_lines(line + prefix_length, used, room);
        line[used] = '\n';
        print(line, used + 1);
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

void silence_messages() { silent = true; }

void write_held_messages() {
    int saved_errno = errno;
    holding = false;
    print(held, held_size);
    held_size = 0;
    errno = saved_errno;
}

void message(const char* pattern, ...) {
    std::va_list arguments;
    va_start(arguments, pattern);
    say(pattern, arguments);
    va_end(arguments);
}

void message_of(Speaker speaker, const char* pattern, ...) {
    if (!is_speaker(speaker))
        return;
    std::va_list arguments;
    va_start(arguments, pattern);
    say(pattern, arguments);
    va_end(arguments);
}

}  // namespace vftrace
