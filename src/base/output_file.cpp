// A file that is written front to back in bounded memory, with one error check at the end.
#include "base/output_file.hpp"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.hpp"

namespace vftrace {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
        error_ = errno;
    // A program may run with descriptors 0 to 2 closed. Ours must not become its stdout.
    if (descriptor_ >= 0 && descriptor_ <= STDERR_FILENO) {
        int higher = fcntl(descriptor_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (higher >= 0) {
            ::close(descriptor_);
            descriptor_ = higher;
        }
    }
    buffer_.reserve(buffer_size);
}

OutputFile::OutputFile(int descriptor) : descriptor_(descriptor), owns_descriptor_(false) {
    buffer_.reserve(buffer_size);
}

OutputFile::~OutputFile() { close(); }

void OutputFile::write(std::string_view text) {
    while (!text.empty()) {
        std::string_view piece = text.substr(0, buffer_size - buffer_.size());
        buffer_.append(piece);
        text.remove_prefix(piece.size());
        if (buffer_.size() == buffer_size)
            flush();
    }
}

void OutputFile::print(const char* pattern, ...) {
    std::string text;
    std::va_list arguments;
    va_start(arguments, pattern);
    append_format_v(text, pattern, arguments);
    va_end(arguments);
    write(text);
}

void OutputFile::flush() {
    std::string_view rest = buffer_;
    while (!rest.empty() && error_ == 0) {
        ssize_t written = ::write(descriptor_, rest.data(), rest.size());
        if (written > 0)
            rest.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0)
            error_ = EIO;
        else if (errno != EINTR)
            error_ = errno;
    }
    buffer_.clear();
}

int OutputFile::close() {
    if (descriptor_ < 0)
        return error_;
    flush();
    if (owns_descriptor_ && ::close(descriptor_) != 0 && error_ == 0)
        error_ = errno;
    descriptor_ = -1;
    return error_;
}

}  // namespace vftrace
