#include "recover/file_image.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/descriptor.hpp"

namespace vftrace {
namespace {

[[noreturn]] void fail(const std::string& path, std::string_view why) {
    throw TreeFileError(fmt::format("{}: {}", path, why));
}

// Does not use mmap: if the file was truncated in the meantime, SIGBUS would end this process.
std::vector<char> read_contents(int descriptor, std::size_t bytes, const std::string& path) {
    std::vector<char> contents;
    try {
        contents.resize(bytes);
    } catch (const std::exception&) {
        fail(path, "there is not enough memory to read it");
    }
    int error = 0;
    const std::size_t done = read_at(descriptor, 0, contents.data(), bytes, error);
    if (error != 0)
        fail(path, std::strerror(error));
    contents.resize(done);
    return contents;
}

bool is_empty(std::string_view contents) {
    return contents.substr(0, sizeof process_record_magic).find_first_not_of('\0') == contents.npos;
}

}  // namespace

bool is_empty_tree_file(const std::string& path) {
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    char start[sizeof process_record_magic];
    int error = 0;
    if (!file.is_open())
        return false;
    const std::size_t bytes = read_at(file, 0, start, sizeof start, error);
    return error == 0 && is_empty({start, bytes});
}

FileImage FileImage::of_file(const std::string& path, std::size_t most_bytes) {
    // Nonblocking, so that a pipe without a writer cannot hang the command.
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.is_open())
        fail(path, std::strerror(errno));
    return of_descriptor(file, path, most_bytes);
}

FileImage FileImage::of_descriptor(int descriptor, const std::string& path,
                                   std::size_t most_bytes) {
    struct stat information;
    if (fstat(descriptor, &information) != 0)
        fail(path, std::strerror(errno));
    if (!S_ISREG(information.st_mode))
        fail(path, "is not a tree file of vftrace");
    // A small file may claim a large size.
    const std::size_t memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t bytes = std::min(static_cast<std::size_t>(information.st_size), most_bytes);
    if (bytes > memory)
        fail(path, "there is not enough memory to read it");
    return FileImage(read_contents(descriptor, bytes, path), path);
}

FileImage::FileImage(std::vector<char> contents, const std::string& path)
    : contents_(std::move(contents)) {
    constexpr std::size_t head = offsetof(ProcessRecord, address);
    const std::string_view magic(process_record_magic, sizeof process_record_magic);
    if (contents_.size() >= sizeof process_record_magic &&
        is_empty({contents_.data(), contents_.size()}))
        fail(path, nothing_in_tree_file);
    if (!std::string_view(contents_.data(), contents_.size()).starts_with(magic))
        fail(path, "is not a tree file of vftrace");
    std::memcpy(static_cast<void*>(&record_), contents_.data(), std::min(contents_.size(), head));
    if (contents_.size() >= head &&
        (record_.layout != process_record_layout || record_.record_bytes != sizeof(ProcessRecord)))
        fail(path, "was written by another version of vftrace");
    if (contents_.size() < sizeof(ProcessRecord))
        fail(path, "is truncated: nothing can be recovered");
    std::memcpy(static_cast<void*>(&record_), contents_.data(), sizeof record_);
    extents_.fill(record_, contents_.size(), [this](std::uint64_t offset, FileExtent& extent) {
        if (offset > contents_.size() || contents_.size() - offset < sizeof extent)
            return false;
        std::memcpy(&extent, contents_.data() + offset, sizeof extent);
        return true;
    });
}

const char* FileImage::find(std::uint64_t address, std::size_t bytes) const {
    const FileExtent* extent = extents_.at(address);
    if (!extent || extent->bytes - (address - extent->address) < bytes)
        return nullptr;
    return contents_.data() + extent->offset + (address - extent->address);
}

std::optional<std::string_view> FileImage::text(const char* pointer, std::size_t longest) const {
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const FileExtent* extent = extents_.at(address);
    if (!extent)
        return std::nullopt;
    const std::size_t room =
        std::min<std::size_t>(extent->bytes - (address - extent->address), longest);
    const char* start = contents_.data() + extent->offset + (address - extent->address);
    const void* end = std::memchr(start, '\0', room);
    if (!end)
        return std::nullopt;
    return std::string_view(start, static_cast<std::size_t>(static_cast<const char*>(end) - start));
}

}  // namespace vftrace
