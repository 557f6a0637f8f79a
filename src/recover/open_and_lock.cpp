// Opens a file of a dead process for one recovery alone.
#include "recover/open_and_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "recover/file_image.hpp"

namespace vftrace {

int open_and_lock(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        throw TreeFileError(fmt::format("{}: {}", path, std::strerror(errno)));
    struct stat information;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(file);
        throw TreeFileError(fmt::format("{}: somebody else is recovering it", path));
    }
    if (fstat(file, &information) != 0 || information.st_nlink == 0) {
        close(file);
        throw TreeFileError(fmt::format("{}: {}", path, std::strerror(ENOENT)));
    }
    return file;
}

}  // namespace vftrace
