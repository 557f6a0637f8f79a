// A file of a dead process, or of one that runs, opened for exclusive use by one recovery.
#pragma once

#include <cstdint>
#include <string>
#include <sys/stat.h>

#include "base/descriptor.hpp"
#include "recover/recovery_request.hpp"

namespace vftrace {

class LockedFile {
  public:
    // Throws TreeFileError if the file cannot be opened, is not a file, is gone, is locked for 20
    // s, or if it is not the user's alone while `request` does not name the directory of the
    // output: the file would then choose where files of the user's are written.
    LockedFile(std::string path, const RecoveryRequest& request);
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    const std::string& path() const { return path_; }
    int descriptor() const { return file_; }
    std::uint64_t bytes() const { return static_cast<std::uint64_t>(information_.st_size); }
    uid_t owner() const { return information_.st_uid; }
    // Whether another user may have written it. What it contains is then shown, but not obeyed.
    bool is_foreign() const;

    // Removes it and its mark (mark_file.hpp), if its name still leads to it. Throws TreeFileError.
    void remove() const;

  private:
    std::string path_, name_;
    Descriptor directory_;  // in which it was found, whatever its path means now
    Descriptor file_;       // closing it unlocks the file
    struct stat information_ {};
};

}  // namespace vftrace
