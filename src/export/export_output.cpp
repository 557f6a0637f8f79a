// Where an export goes: a file, a folder or standard output.
#include "export/export_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace vftrace {
namespace {

// Devices and pipes are written to as they are; a rename would replace them.
bool is_special(const std::string& name) {
    struct stat status;
    return stat(name.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// Where a link points to is replaced, not the link.
std::string behind_links(const std::string& name) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(name, error);
    return error ? name : target.string();
}

}  // namespace

ExportOutput::ExportOutput(std::string name, ExportTarget target)
    : name_(std::move(name)), target_(target), buffer_(std::make_unique<char[]>(buffer_bytes)) {
    if (target_ == ExportTarget::folder) {
        if (name_ == "-")
            throw ExportError("this format is a folder and cannot go to standard output");
        while (name_.size() > 1 && name_.back() == '/')
            name_.pop_back();
        struct stat status;
        if (lstat(name_.c_str(), &status) == 0)
            throw ExportError(fmt::format("{}: exists already; it is not replaced", name_));
        part_ = name_ + ".part";
        std::error_code ignored;
        std::filesystem::remove_all(part_, ignored);  // of an export that was killed
        if (mkdir(part_.c_str(), 0777) != 0)
            fail(errno);
        return;
    }
    if (name_ == "-") {
        name_ = "standard output";
        descriptor_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    } else if (is_special(name_)) {
        descriptor_ = open(name_.c_str(), O_WRONLY | O_CLOEXEC);
    } else {
        struct stat status;
        if (stat(name_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
            fail(EISDIR);
        part_ = behind_links(name_) + ".part";
        descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (descriptor_ < 0) {
        part_.clear();
        fail(errno);
    }
}

ExportOutput::~ExportOutput() {
    if (descriptor_ >= 0)
        close(descriptor_);
    if (finished_ || part_.empty())
        return;
    std::error_code ignored;
    if (target_ == ExportTarget::folder)
        std::filesystem::remove_all(part_, ignored);
    else
        unlink(part_.c_str());
}

void ExportOutput::fail(int error) const {
    throw ExportError(fmt::format("{}: {}", name_, std::strerror(error)));
}

void ExportOutput::write_bytes(const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(descriptor_, bytes, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            fail(errno);
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
}

void ExportOutput::flush() {
    write_bytes(buffer_.get(), used_);
    used_ = 0;
}

void ExportOutput::write_through(std::string_view text) {
    flush();
    if (text.size() >= buffer_bytes) {
        write_bytes(text.data(), text.size());
        return;
    }
    text.copy(buffer_.get(), text.size());
    used_ = text.size();
}

void ExportOutput::finish() {
    if (target_ == ExportTarget::file) {
        flush();
        const int descriptor = descriptor_;
        descriptor_ = -1;
        // Some file systems tell only now that they are full.
        if (close(descriptor) != 0)
            fail(errno);
    }
    const std::string last_name = target_ == ExportTarget::file ? behind_links(name_) : name_;
    if (!part_.empty() && std::rename(part_.c_str(), last_name.c_str()) != 0)
        fail(errno);
    finished_ = true;
}

}  // namespace vftrace
