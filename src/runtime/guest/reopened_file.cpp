#include "guest/reopened_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vftrace {

bool ReopenedFile::set_path(const char* path) {
    std::size_t length = std::strlen(path);
    if (length >= sizeof path_)
        return false;
    std::memcpy(path_, path, length + 1);
    device_ = 0;
    inode_ = 0;
    return true;
}

int ReopenedFile::create(mode_t mode) {
    constexpr int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int descriptor = ::open(path_, flags, mode);
    struct stat information;
    if (descriptor < 0 && errno == EEXIST && lstat(path_, &information) == 0 &&
        S_ISREG(information.st_mode) && information.st_uid == geteuid() && unlink(path_) == 0)
        descriptor = ::open(path_, flags, mode);
    if (descriptor >= 0 && fstat(descriptor, &information) == 0) {
        device_ = information.st_dev;
        inode_ = information.st_ino;
        return descriptor;
    }
    int saved_errno = errno;
    if (descriptor >= 0)
        close(descriptor);
    forget();
    errno = saved_errno;
    return -1;
}

int ReopenedFile::open() const {
    int descriptor = ::open(path_, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat information;
    if (descriptor >= 0 && (fstat(descriptor, &information) != 0 || information.st_dev != device_ ||
                            information.st_ino != inode_)) {
        close(descriptor);
        errno = ENOENT;
        return -1;
    }
    return descriptor;
}

void ReopenedFile::remove() {
    struct stat information;
    if (*path_ && lstat(path_, &information) == 0 && information.st_dev == device_ &&
        information.st_ino == inode_)
        unlink(path_);
    forget();
}

}  // namespace vftrace
