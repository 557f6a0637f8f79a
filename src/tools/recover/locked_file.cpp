#include "recover/locked_file.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include <fmt/core.h>

#include "base/directories.hpp"
#include "base/text.hpp"
#include "record/mark_name.hpp"
#include "recover/file_image.hpp"
#include "recover/mark_file.hpp"

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

int open_to_read(int directory, const std::string& name) {
    return openat(directory, name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

}  // namespace

LockedFile::LockedFile(std::string path, const RecoveryRequest& request)
    : path_(std::move(path)), name_(base_name(path_)),
      directory_(open(directory_of(path_).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)),
      file_(directory_.is_open() ? open_to_read(directory_, name_) : -1) {
    const auto fail = [this](const std::string& why) {
        throw TreeFileError(fmt::format("{}: {}", path_, why));
    };
    if (!file_.is_open() || fstat(file_, &information_) != 0)
        fail(std::strerror(errno));
    if (!S_ISREG(information_.st_mode))
        fail("is not a tree file of vftrace");
    if (is_foreign() && request.output_directory.empty())
        fail(fmt::format("{}, and might name your files as its output: give the directory with "
                         "--output",
                         owner() != geteuid() ? "belongs to another user"
                                              : "can be changed by every user"));
    if (!lock_within(file_, std::chrono::seconds(20)))
        fail("is being recovered by another process");
    if (fstat(file_, &information_) != 0 || information_.st_nlink == 0)
        fail(std::strerror(ENOENT));
}

bool LockedFile::is_foreign() const {
    return owner() != geteuid() || (information_.st_mode & S_IWOTH) != 0;
}

void LockedFile::remove() const {
    remove_mark(path_);
    unlinkat(directory_, (name_ + mark_suffix).c_str(), 0);
    struct stat there;
    if (fstatat(directory_, name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
        there.st_ino != information_.st_ino || there.st_dev != information_.st_dev)
        return;
    if (unlinkat(directory_, name_.c_str(), 0) != 0 && errno != ENOENT)
        throw TreeFileError(fmt::format("cannot remove {}: {}", path_, std::strerror(errno)));
}

}  // namespace vftrace
