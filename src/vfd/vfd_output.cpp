// The file that a vfd is written to.
#include "vfd/vfd_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace vftrace {

VfdOutput::VfdOutput(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
    descriptor_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) {
        error_ = errno;
        return;
    }
    // A program may run with descriptors 0 to 2 closed. Ours must not become its stdout.
    if (descriptor_ <= STDERR_FILENO) {
        const int higher = fcntl(descriptor_, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (higher >= 0) {
            close(descriptor_);
            descriptor_ = higher;
        }
    }
    buffer_.resize(buffer_bytes);
}

VfdOutput::~VfdOutput() {
    if (descriptor_ < 0)
        return;
    close(descriptor_);
    unlink(part_.c_str());
}

void VfdOutput::write(const void* data, std::size_t bytes) {
    const auto* from = static_cast<const char*>(data);
    while (bytes > 0 && error_ == 0) {
        const std::size_t piece = std::min(bytes, buffer_.size() - used_);
        std::memcpy(buffer_.data() + used_, from, piece);
        used_ += piece;
        from += piece;
        bytes -= piece;
        if (used_ == buffer_.size())
            flush();
    }
}

void VfdOutput::put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    write(text);
}

void VfdOutput::put_text_with_nul(std::string_view text) {
    put(static_cast<std::int32_t>(text.size() + 1));
    write(text);
    put('\0');
}

void VfdOutput::write_at(std::uint64_t offset, const char* data, std::size_t bytes) {
    // Beyond a limit on the size of files the kernel would send SIGXFSZ.
    rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + bytes > limit.rlim_cur && error_ == 0)
        error_ = EFBIG;
    while (bytes > 0 && error_ == 0) {
        const ssize_t length = pwrite(descriptor_, data, bytes, static_cast<off_t>(offset));
        if (length > 0) {
            data += length;
            offset += static_cast<std::uint64_t>(length);
            bytes -= static_cast<std::size_t>(length);
        } else if (length == 0 || errno != EINTR) {
            error_ = length == 0 ? EIO : errno;
        }
    }
}

void VfdOutput::flush() {
    write_at(written_, buffer_.data(), used_);
    written_ += used_;
    used_ = 0;
}

void VfdOutput::patch(std::uint64_t offset, const void* data, std::size_t bytes) {
    flush();
    write_at(offset, static_cast<const char*>(data), bytes);
}

bool VfdOutput::publish() {
    if (descriptor_ < 0)
        return false;
    flush();
    if (close(descriptor_) != 0 && error_ == 0)
        error_ = errno;
    descriptor_ = -1;
    if (error_ == 0 && rename(part_.c_str(), path_.c_str()) != 0)
        error_ = errno;
    if (error_ != 0)
        unlink(part_.c_str());
    return error_ == 0;
}

}  // namespace vftrace
