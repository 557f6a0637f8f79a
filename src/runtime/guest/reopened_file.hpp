// A file of ours that is reopened for each use, because programs close descriptors that they do not
// know. Each time, it is checked to be still the same file, and not another one with its name.
//
// Uses only system calls, for signal handlers; allocates no memory.
#pragma once

#include <climits>
#include <cstdint>
#include <sys/types.h>

namespace vftrace {

class ReopenedFile {
  public:
    // Sets the name. Returns false if it is too long. The name is "" if there is no file.
    bool set_path(const char* path);
    const char* path() const { return path_; }
    explicit operator bool() const { return *path_; }

    // Creates the file, in place of one of this user that an earlier process may have left. Returns
    // a descriptor that is open for reading and writing, or -1 with errno set; then there is no
    // file.
    int create(mode_t mode);
    // Returns a descriptor as above, -1 if the file no longer exists.
    int open() const;
    // Removes the file, if it exists and is still the same.
    void remove();
    // Forgets the file, in a child of fork.
    void forget() { *path_ = '\0'; }

  private:
    char path_[PATH_MAX] = {};
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace vftrace
