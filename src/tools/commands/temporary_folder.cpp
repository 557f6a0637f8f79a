#include "commands/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include <fmt/core.h>

#include "commands/commands.hpp"

namespace vftrace::tools {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error)
        throw CommandError(
            fmt::format("the folder for temporary files (TMPDIR): {}", error.message()));
    std::string pattern = (parent / "vftrace-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
        throw CommandError(fmt::format("{}: {}", pattern, std::strerror(errno)));
    path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace vftrace::tools
