// A file of ours that is reopened for each use, because programs close descriptors that they do not
// know. Each time it is checked that it is still the same file, and not another one with its name.
//
// Made of system calls only, for signal handlers; no memory is allocated.
#pragma once

#include <climits>
#include <cstdint>
#include <sys/types.h>

namespace vftrace {

class ReopenedFile {
  public:
    // Sets the name. Returns false if it is too long. "" afterwards: there is no file.
    bool set_path(const char* path);
    const char* path() const { return path_; }
    explicit operator bool() const { return *path_; }

    // Creates it, in place of a file of this user that an earlier process may have left. Returns a
    // descriptor that is open for reading and writing, or -1 with errno; then there is no file.
    int create(mode_t mode);
    // Returns a descriptor as above, -1 if it is not there any more.
    int open() const;
    // Takes its name away, if it is there and still the same.
    void remove();
    // Forgets it, in a child of fork.
    void forget() { *path_ = '\0'; }

  private:
    char path_[PATH_MAX] = {};
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace vftrace
