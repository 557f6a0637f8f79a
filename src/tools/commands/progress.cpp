#include "commands/progress.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <unistd.h>

#include <fmt/core.h>

#include "base/utf8.hpp"

namespace vftrace::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t name_columns = 30, bar_columns = 40;  // together less than 80

// The end of a long name is more informative than its beginning.
std::string shortened(const std::string& name) {
    std::string text = printable(name);
    if (text.size() <= name_columns)
        return text;
    std::size_t begin = text.size() - (name_columns - 3);
    while (begin < text.size() && (text[begin] & 0xc0) == 0x80)
        begin++;
    return "..." + text.substr(begin);
}

}  // namespace

Progress::Progress(const std::string& what, bool wanted)
    : what_(shortened(what)), due_(std::chrono::steady_clock::now() + 1s) {
    if (!wanted || !isatty(STDERR_FILENO))
        next_ = std::numeric_limits<std::uint64_t>::max();
}

void Progress::draw(std::uint64_t done, std::uint64_t total) {
    // Often enough for several updates per second, whatever the unit.
    next_ = done + std::max<std::uint64_t>(total / 4096, 1);
    const auto now = std::chrono::steady_clock::now();
    if (now < due_ || total == 0)
        return;
    due_ = now + 100ms;
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    const std::size_t filled = static_cast<std::size_t>(share * bar_columns);
    fmt::print(stderr, "\r{} [{:<{}}] {:3.0f} %", what_, std::string(filled, '#'), bar_columns,
               share * 100);
    std::fflush(stderr);
    drawn_ = true;
}

Progress::~Progress() {
    if (drawn_)
        std::fputs("\r\x1b[K", stderr);
}

}  // namespace vftrace::tools
