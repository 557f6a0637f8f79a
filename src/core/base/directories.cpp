#include "base/directories.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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

// Closes a descriptor without changing errno.
void close_quietly(int descriptor) {
    const int saved_errno = errno;
    if (descriptor >= 0)
        close(descriptor);
    errno = saved_errno;
}

constexpr int to_pass_through = O_PATH | O_DIRECTORY | O_CLOEXEC;

// The target of an opened link in an opened directory; empty, and an errno, if it may not be
// followed.
std::string target_of(int directory, int link, const struct stat& of_link) {
    struct stat of_directory;
    if (fstat(directory, &of_directory) != 0)
        return {};
    if (!may_be_followed(of_directory, of_link)) {
        errno = EACCES;
        return {};
    }
    char target[PATH_MAX];
    const ssize_t length = readlinkat(link, "", target, sizeof target);
    return std::string(target, length > 0 ? static_cast<std::size_t>(length) : 0);
}

// The links of /proc are not texts, but lead directly to what a process has open.
bool is_in_proc(int link) {
    struct statfs system;
    return fstatfs(link, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Goes from a directory to one with this name, or to the target of a link with this name, which is
// then put in front of `rest`. Closes `directory`. Returns the new one, or -1 and an errno.
int step(int directory, const std::string& part, std::string& rest, int& links) {
    constexpr int most_links = 40;  // the same limit as in the kernel
    int there = openat(directory, part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat information {};
    if (there >= 0 && fstat(there, &information) == 0 && S_ISLNK(information.st_mode)) {
        const std::string target = target_of(directory, there, information);
        const bool in_proc = is_in_proc(there);
        close_quietly(there);
        there = -1;
        if (!target.empty() && ++links > most_links) {
            errno = ELOOP;
        } else if (!target.empty() && in_proc) {
            there = openat(directory, part.c_str(), to_pass_through);
        } else if (!target.empty()) {
            rest.insert(0, target + "/");
            there = target.starts_with('/') ? open("/", to_pass_through)
                                            : openat(directory, ".", to_pass_through);
        }
    } else if (there >= 0 && !S_ISDIR(information.st_mode)) {
        close(there);
        there = -1;
        errno = ENOTDIR;
    }
    close_quietly(directory);
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

int open_directory(const std::string& directory) {
    std::string rest = directory;
    int links = 0;
    int here = open(rest.starts_with('/') ? "/" : ".", to_pass_through);
    while (here >= 0) {
        const std::size_t begin = rest.find_first_not_of('/');
        if (begin == rest.npos)
            break;
        const std::size_t end = std::min(rest.find('/', begin), rest.size());
        const std::string part = rest.substr(begin, end - begin);
        rest.erase(0, end);
        here = step(here, part, rest, links);
    }
    return here;
}

}  // namespace vftrace
