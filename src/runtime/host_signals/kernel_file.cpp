// Files of the kernel: numbers in them, and folders of them.
#include "host_signals/kernel_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/text.hpp"
#include "guest/spare_descriptors.hpp"

namespace vftrace {
namespace {

constexpr std::size_t longest_number = 64;

std::optional<std::int64_t> parse_number(std::string_view text) {
    text = trim(text.substr(0, text.find('\n')));
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stopped_at != end)
        return std::nullopt;
    return number;
}

}  // namespace

KernelFile::KernelFile(KernelFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)),
      error_(other.error_), device_(other.device_), inode_(other.inode_) {}

// Whether the descriptor is still that of this file, and the file still exists.
bool KernelFile::is_open_and_ours() const {
    struct stat information;
    return descriptor_ >= 0 && fstat(descriptor_, &information) == 0 &&
           information.st_dev == device_ && information.st_ino == inode_ &&
           information.st_nlink > 0;
}

bool KernelFile::open_file() {
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat information;
    if (descriptor_ < 0 || fstat(descriptor_, &information) != 0) {
        error_ = errno;
        return false;
    }
    device_ = information.st_dev;
    inode_ = information.st_ino;
    descriptor_ = move_descriptor_up(descriptor_);
    return true;
}

// A descriptor that the program now uses for something else stays open.
void KernelFile::forget() {
    struct stat information;
    if (descriptor_ >= 0 && fstat(descriptor_, &information) == 0 &&
        information.st_dev == device_ && information.st_ino == inode_)
        close(descriptor_);
    descriptor_ = -1;
}

std::optional<std::int64_t> KernelFile::unchecked_number() const {
    char text[longest_number];
    const ssize_t length = pread(descriptor_, text, sizeof text, 0);
    if (length < 0)
        return std::nullopt;
    return parse_number(std::string_view(text, static_cast<std::size_t>(length)));
}

std::optional<std::int64_t> KernelFile::number() {
    for (int attempt = 0; attempt < 2; attempt++) {
        if (!is_open_and_ours()) {
            forget();
            if (!open_file())
                return std::nullopt;
        }
        errno = 0;
        const auto found = unchecked_number();
        error_ = errno;
        if (error_ == 0)
            return found;
        if (error_ != ENODEV && error_ != ENXIO && error_ != ESTALE && error_ != EBADF)
            break;
        forget();  // the device has disappeared, and may be back
    }
    return std::nullopt;
}

std::string KernelFile::why_not() const {
    return error_ == 0 ? "its content is not a number" : std::strerror(error_);
}

std::string first_line(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return "";
    char text[256];
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    const std::string_view all(text, static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return std::string(trim(all.substr(0, all.find('\n'))));
}

std::optional<std::int64_t> number_in_file(const std::string& path) {
    return parse_number(first_line(path));
}

std::optional<double> real_in_text(std::string_view text) {
    const CLocale decimal_point;
    const std::string number(trim(text));
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || end != number.c_str() + number.size())
        return std::nullopt;
    return value;
}

std::vector<std::string> names_in_folder(const std::string& folder, std::string_view prefix) {
    std::vector<std::string> names;
    DIR* const entries = opendir(folder.c_str());
    if (!entries)
        return names;
    while (const dirent* entry = readdir(entries))
        if (std::string_view(entry->d_name).starts_with(prefix) && entry->d_name[0] != '.')
            names.emplace_back(entry->d_name);
    closedir(entries);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
    return names;
}

std::optional<std::uint32_t> number_behind(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix))
        return std::nullopt;
    text.remove_prefix(prefix.size());
    std::uint32_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped_at, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stopped_at != end)
        return std::nullopt;
    return number;
}

}  // namespace vftrace
