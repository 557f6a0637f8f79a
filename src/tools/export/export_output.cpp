#include "export/export_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

namespace vftrace {
ExportOutput::ExportOutput(std::string name, ExportTarget target)
    : name_(std::move(name)), target_(target), buffer_(std::make_unique<char[]>(buffer_bytes)) {
    if (target_ == ExportTarget::folder) {
        if (name_ == "-")
            throw ExportError("the output of this format is a directory and cannot be written to "
                              "standard output");
        while (name_.size() > 1 && name_.back() == '/')
            name_.pop_back();
        struct stat status;
        if (lstat(name_.c_str(), &status) == 0)
            throw ExportError(fmt::format("{}: already exists, and an existing directory is not "
                                          "replaced: remove it or choose another --output",
                                          name_));
        part_ = name_ + ".part";
        std::error_code ignored;
        std::filesystem::remove_all(part_, ignored);  // left by an export that was killed
        if (mkdir(part_.c_str(), 0777) != 0)
            fail(errno);
        return;
    }
    if (name_ == "-") {
        name_ = "standard output";
        return;
    }
    struct stat status;
    if (stat(name_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        fail(EISDIR);
    file_ = NewFile::create(name_);
    if (file_->error() != 0)
        fail(file_->error());
}

ExportOutput::~ExportOutput() {
    std::error_code ignored;
    if (!finished_ && !part_.empty())
        std::filesystem::remove_all(part_, ignored);
}

void ExportOutput::fail(int error) const {
    throw ExportError(fmt::format("{}: {}", name_, std::strerror(error)));
}

void ExportOutput::write_bytes(const char* bytes, std::size_t count) {
    if (file_) {
        file_->append({bytes, count});
        if (file_->error() != 0)
            fail(file_->error());
        return;
    }
    while (count > 0) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes, count);
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
    if (target_ == ExportTarget::folder) {
        if (std::rename(part_.c_str(), name_.c_str()) != 0)
            fail(errno);
    } else {
        flush();
        if (const int error = file_ ? file_->publish() : 0)
            fail(error);
    }
    finished_ = true;
}

}  // namespace vftrace
