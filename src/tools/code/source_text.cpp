#include "code/source_text.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/descriptor.hpp"

namespace vftrace {
namespace {

constexpr off_t largest_file = 16 << 20;

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = text.find('\n', begin);
        if (end == std::string::npos)
            end = text.size();
        lines.push_back(text.substr(begin, end - begin));
        if (!lines.back().empty() && lines.back().back() == '\r')
            lines.back().pop_back();
        begin = end + 1;
    }
    return lines;
}

}  // namespace

std::vector<std::string> SourceFiles::read(const std::string& file) {
    // Opens no devices, never waits for a FIFO, and reads nothing but text of a usual size: the
    // name comes from a program that somebody else may have compiled.
    struct stat status;
    if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return {};
    const Descriptor descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!descriptor.is_open() || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_size > largest_file)
        return {};
    const std::int64_t written = status.st_mtim.tv_sec * 1000000000LL + status.st_mtim.tv_nsec;
    if (newest_unix_ns_ != 0 && written > newest_unix_ns_) {
        changed_.push_back(file);
        return {};
    }
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    int error = 0;
    text.resize(read_at(descriptor, 0, text.data(), text.size(), error));
    return text.find('\0') == std::string::npos ? split_lines(text) : std::vector<std::string>();
}

const std::vector<std::string>& SourceFiles::lines_of(const std::string& file) {
    const auto [known, is_new] = files_.try_emplace(file);
    if (is_new && !file.empty())
        known->second = read(file);
    return known->second;
}

const std::string& SourceFiles::line(const std::string& file, std::uint32_t line) {
    static const std::string unknown;
    const std::vector<std::string>& lines = lines_of(file);
    return line > 0 && line <= lines.size() ? lines[line - 1] : unknown;
}

}  // namespace vftrace
