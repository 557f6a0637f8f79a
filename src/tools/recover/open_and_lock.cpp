#include "recover/open_and_lock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

#include "recover/file_image.hpp"

namespace vftrace {
namespace {

// Snapshots lock the file too: a process that dies during one must not lose its profile.
bool lock_within(int file, std::chrono::steady_clock::duration most) {
    const auto end = std::chrono::steady_clock::now() + most;
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return true;  // a file system without locks
        if (std::chrono::steady_clock::now() >= end)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace

int open_and_lock(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        throw TreeFileError(fmt::format("{}: {}", path, std::strerror(errno)));
    struct stat information;
    if (!lock_within(file, std::chrono::seconds(20))) {
        close(file);
        throw TreeFileError(fmt::format("{}: is being recovered by another process", path));
    }
    if (fstat(file, &information) != 0 || information.st_nlink == 0) {
        close(file);
        throw TreeFileError(fmt::format("{}: {}", path, std::strerror(ENOENT)));
    }
    return file;
}

}  // namespace vftrace
