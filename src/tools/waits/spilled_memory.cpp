// Memory for lists that can become long, which use a temporary file beyond a limit.
#include "waits/spilled_memory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/core.h>

namespace vftrace {
namespace {

std::string folder() {
    const char* wanted = std::getenv("TMPDIR");
    return wanted && *wanted ? wanted : "/tmp";
}

[[noreturn]] void fail(int error) {
    throw std::runtime_error(
        fmt::format("{}: a temporary file is needed: {}", folder(), std::strerror(error)));
}

}  // namespace

SpilledMemory::~SpilledMemory() {
    if (file_ >= 0) {
        munmap(data_, bytes_);
        close(file_);
    } else {
        std::free(data_);
    }
}

void SpilledMemory::open_file() {
    std::string path = folder() + "/vftrace-analyze-XXXXXX";
    file_ = mkostemp(path.data(), O_CLOEXEC);
    if (file_ < 0)
        fail(errno);
    unlink(path.c_str());
}

void SpilledMemory::grow(std::size_t bytes) {
    if (bytes <= most_bytes_) {
        void* data = std::realloc(data_, bytes);
        if (!data)
            throw std::bad_alloc();
        data_ = data;
        bytes_ = bytes;
        return;
    }
    void* const before = data_;
    const bool was_memory = file_ < 0;
    if (was_memory)
        open_file();
    // Reserves room on the disk now, so that there is enough when a page is written.
    if (const int error = posix_fallocate(file_, 0, static_cast<off_t>(bytes)))
        fail(error);
    void* data = was_memory ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                            : mremap(before, bytes_, bytes, MREMAP_MAYMOVE);
    if (data == MAP_FAILED)
        fail(errno);
    if (was_memory) {
        if (bytes_ > 0)
            std::memcpy(data, before, bytes_);
        std::free(before);
    }
    data_ = data;
    bytes_ = bytes;
}

}  // namespace vftrace
