#include "guest/proc_status.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/kernel_files.hpp"

namespace vftrace {
namespace {

// Read piece by piece, because a signal handler's stack may have little room.
class SmallFile {
  public:
    explicit SmallFile(const char* path) : file_(path) {}

    // The next line without its end; nothing after the last one. A line that is longer than the
    // buffer is returned as several lines.
    std::optional<std::string_view> next_line() {
        for (;;) {
            const std::string_view rest(text_ + next_, end_ - next_);
            const std::size_t length = rest.find('\n');
            if (length != rest.npos) {
                next_ += length + 1;
                return rest.substr(0, length);
            }
            if (rest.size() == sizeof text_ || !fill()) {
                next_ = end_;
                if (rest.empty())
                    return std::nullopt;
                return rest;
            }
        }
    }

  private:
    bool fill() {
        std::memmove(text_, text_ + next_, end_ - next_);
        end_ -= next_;
        next_ = 0;
        const std::size_t bytes = file_.read({text_ + end_, sizeof text_ - end_});
        end_ += bytes;
        return bytes > 0;
    }

    SystemCallFile file_;
    char text_[2048];
    std::size_t next_ = 0, end_ = 0;
};

bool is_blank(char letter) { return letter == ' ' || letter == '\t' || letter == '\n'; }

// Removes a number from the front. Returns whether there was one.
bool take_number(std::string_view& text, std::uint64_t& number, int base = 10) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc())
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

}  // namespace

std::size_t numbers_in_status(const char* path, std::span<const std::string_view> names,
                              std::uint64_t* numbers, int base) {
    SmallFile file(path);
    std::size_t next = 0, count = 0;
    std::optional<std::string_view> line;
    while (next < names.size() && (line = file.next_line()))
        for (std::size_t i = next; i < names.size(); i++) {
            std::string_view rest = *line;
            if (!rest.starts_with(names[i]))
                continue;
            rest.remove_prefix(names[i].size());
            while (!rest.empty() && is_blank(rest.front()))  // /proc/self/sched has a column
                rest.remove_prefix(1);
            if (!rest.starts_with(':'))
                continue;
            rest.remove_prefix(1);
            count += take_number(rest, numbers[i], base);
            next = i + 1;
            break;
        }
    return count;
}

std::uint64_t number_in_status(const char* path, std::string_view name) {
    std::uint64_t number = 0;
    numbers_in_status(path, {&name, 1}, &number);
    return number;
}

int numbers_in_line(const char* path, std::uint64_t* numbers, int most,
                    std::string_view first_word) {
    SmallFile file(path);
    std::string_view text = file.next_line().value_or("");
    if (!text.starts_with(first_word))
        return 0;
    text.remove_prefix(first_word.size());
    int count = 0;
    while (count < most && take_number(text, numbers[count]))
        count++;
    return count;
}

}  // namespace vftrace
