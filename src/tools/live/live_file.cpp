#include "live/live_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace vftrace {

LiveFile::LiveFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    if (!descriptor_.is_open()) {
        if (errno == EACCES || errno == EPERM)
            throw NoPermissionError(fmt::format("{}: {}", path_, std::strerror(errno)));
        throw TreeFileError(fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    struct stat information;
    if (fstat(descriptor_, &information) != 0 || !S_ISREG(information.st_mode))
        throw TreeFileError(fmt::format("{}: is not a tree file of vftrace", path_));
}

// Bytes that cannot be read count as missing.
std::size_t LiveFile::read_at(std::uint64_t offset, char* target, std::size_t bytes) const {
    int error = 0;
    return vftrace::read_at(descriptor_, offset, target, bytes, error);
}

void LiveFile::refresh() {
    window_start_ = window_end_ = 0;
    struct stat information;
    if (fstat(descriptor_, &information) != 0)
        throw TreeFileError(fmt::format("{}: {}", path_, std::strerror(errno)));
    bytes_ = static_cast<std::uint64_t>(information.st_size);
    inode_ = information.st_ino;
    removed_ = information.st_nlink == 0;
    ProcessRecord record{};
    const std::size_t length = read_at(0, reinterpret_cast<char*>(&record), sizeof record);
    if (length >= sizeof record.magic &&
        std::memcmp(record.magic, process_record_magic, sizeof record.magic) != 0)
        throw TreeFileError(fmt::format("{}: is not a tree file of vftrace", path_));
    if (length < sizeof record)
        throw TreeFileError(fmt::format("{}: is truncated", path_));
    if (record.layout != process_record_layout || record.record_bytes != sizeof record)
        throw TreeFileError(fmt::format("{}: was written by another version of vftrace", path_));
    if (bytes_ < record.file_bytes)
        throw TreeFileError(fmt::format("{}: is truncated", path_));
    record_ = record;
    make_plausible(record_);
    if (record_.extent_count != extents_read_ || bytes_ != bytes_mapped_)
        read_extents();
}

void LiveFile::read_extents() {
    extents_.fill(record_, bytes_, [this](std::uint64_t offset, FileExtent& extent) {
        const char* found = at(offset, sizeof extent);
        if (found)
            std::memcpy(&extent, found, sizeof extent);
        return found != nullptr;
    });
    extents_read_ = record_.extent_count;
    bytes_mapped_ = bytes_;
}

std::optional<std::uint64_t> LiveFile::offset(std::uint64_t address, std::size_t bytes) const {
    const FileExtent* extent = extents_.at(address);
    if (!extent || extent->bytes - (address - extent->address) < bytes)
        return std::nullopt;
    return extent->offset + (address - extent->address);
}

const char* LiveFile::at(std::uint64_t offset, std::size_t bytes) {
    if (offset < window_start_ || offset > window_end_ || window_end_ - offset < bytes) {
        if (bytes > window_bytes || offset >= bytes_)
            return nullptr;
        constexpr std::uint64_t line = 64;  // nodes in the window remain aligned
        constexpr std::size_t smallest = 8 * 1024;
        const bool goes_on =
            window_end_ > 0 && offset >= window_start_ && offset < window_end_ + smallest;
        ahead_ = goes_on ? std::min(2 * ahead_, window_bytes) : smallest;
        window_.resize(window_bytes + line);
        window_start_ = offset / line * line;
        window_end_ = window_start_;
        window_end_ += read_at(window_start_, window_.data(), std::max(ahead_, bytes) + line);
    }
    if (offset > window_end_ || window_end_ - offset < bytes)
        return nullptr;
    return window_.data() + (offset - window_start_);
}

std::optional<std::string> LiveFile::text(const char* pointer, std::size_t longest) {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const FileExtent* extent = extents_.at(address);
    if (!extent)
        return std::nullopt;
    const std::uint64_t place = extent->offset + (address - extent->address);
    const std::size_t room = std::min<std::uint64_t>(
        {extent->bytes - (address - extent->address), longest, std::uint64_t{window_bytes}});
    const char* start = at(place, room);
    const void* end = start ? std::memchr(start, '\0', room) : nullptr;
    if (!end)
        return std::nullopt;
    return std::string(start, static_cast<const char*>(end));
}

}  // namespace vftrace
