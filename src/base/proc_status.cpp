// Numbers that the kernel tells about threads.
#include "base/proc_status.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {
namespace {

// Longer than any of these files is; empty if it cannot be read.
class SmallFile {
  public:
    explicit SmallFile(const char* path) {
        const int saved_errno = errno;
        const long file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
        if (file >= 0) {
            length_ = std::max(syscall(SYS_read, file, text_, sizeof text_), 0L);
            syscall(SYS_close, file);
        }
        errno = saved_errno;
    }
    std::string_view text() const { return {text_, static_cast<std::size_t>(length_)}; }

  private:
    char text_[4096];
    long length_ = 0;
};

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

// Takes a number off the front. Returns whether there was one.
bool take_number(std::string_view& text, std::uint64_t& number) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

}  // namespace

std::uint64_t number_in_status(const char* path, std::string_view name) {
    const SmallFile file(path);
    std::string_view text = file.text();
    std::uint64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.size() <= name.size() || !line.starts_with(name) || line[name.size()] != ':')
            continue;
        line.remove_prefix(name.size() + 1);
        take_number(line, number);
        break;
    }
    return number;
}

int numbers_in_file(const char* path, std::uint64_t* numbers, int most) {
    const SmallFile file(path);
    std::string_view text = file.text();
    int count = 0;
    while (count < most && take_number(text, numbers[count]))
        count++;
    return count;
}

}  // namespace vftrace
