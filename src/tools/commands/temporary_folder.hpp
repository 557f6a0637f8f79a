// A folder for files that are needed only while a command works.
#pragma once

#include <filesystem>

namespace vftrace::tools {

// In the folder for temporary files, readable by the user alone; removed with all that is in it.
class TemporaryFolder {
  public:
    // Throws CommandError.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace vftrace::tools
