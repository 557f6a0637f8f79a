#include "base/directories.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/links.hpp"

namespace vftrace {
namespace {

// Unlike a file, a directory is not replaced: even a link in the last part of its path must be one
// that may be followed.
std::optional<std::string> behind_all_links(const std::string& directory) {
    std::optional<std::string> there = behind_links(directory + "/.");
    if (there)
        there->resize(std::max<std::size_t>(there->size() - 2, 1));
    return there;
}

}  // namespace

std::string directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? "." : path.substr(0, std::max<std::size_t>(slash, 1));
}

int check_new_files(const std::string& directory) {
    const std::optional<std::string> there = behind_all_links(directory);
    if (!there)
        return errno;
    struct stat information;
    if (stat(there->c_str(), &information) != 0)
        return errno == ENOENT && *there != "." ? check_new_files(directory_of(*there)) : errno;
    if (!S_ISDIR(information.st_mode))
        return ENOTDIR;
    return faccessat(AT_FDCWD, there->c_str(), W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

int make_directories(const std::string& directory) {
    const std::optional<std::string> wanted = behind_all_links(directory);
    if (!wanted)
        return errno;
    struct stat information;
    if (stat(wanted->c_str(), &information) == 0)
        return S_ISDIR(information.st_mode) ? 0 : ENOTDIR;
    const std::string above = directory_of(*wanted);
    if (above != *wanted)
        if (const int error = make_directories(above))
            return error;
    return mkdir(wanted->c_str(), 0777) == 0 || errno == EEXIST ? 0 : errno;
}

}  // namespace vftrace
