#include "export/export_output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>

#include "base/directories.hpp"
#include "base/text.hpp"

namespace vftrace {
namespace {

// A path that leads to an open directory, whatever happens to its name.
std::string path_to(int directory) { return fmt::format("/proc/self/fd/{}", directory); }

}  // namespace

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
        make_folder();
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
    if (!finished_ && !part_.empty())
        remove_folder();
}

// The library that fills it creates files by their paths.
void ExportOutput::make_folder() {
    parent_ = std::make_unique<Descriptor>(open_directory(directory_of(name_)));
    if (!parent_->is_open())
        fail(errno);
    part_ = std::string(base_name(name_)) + ".part";
    remove_folder();  // left by an export that was killed
    if (mkdirat(*parent_, part_.c_str(), 0777) != 0)
        fail(errno);
    folder_ = std::make_unique<Descriptor>(
        openat(*parent_, part_.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status;
    if (!folder_->is_open() || fstat(*folder_, &status) != 0)
        fail(errno);
    if (status.st_uid != geteuid())
        fail(EACCES);
    folder_path_ = path_to(*folder_);
}

void ExportOutput::remove_folder() const {
    std::error_code ignored;
    std::filesystem::remove_all(path_to(*parent_) + "/" + part_, ignored);
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
        if (renameat(*parent_, part_.c_str(), *parent_, std::string(base_name(name_)).c_str()) != 0)
            fail(errno);
    } else {
        flush();
        if (const int error = file_ ? file_->publish() : 0)
            fail(error);
    }
    finished_ = true;
}

}  // namespace vftrace
