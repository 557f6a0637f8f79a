#include "base/links.hpp"

#include <cerrno>
#include <climits>
#include <sys/stat.h>
#include <unistd.h>

namespace vftrace {
namespace {

bool only_own_links;

bool may_be_followed_in(const std::string& folder, const struct stat& link) {
    struct stat information;
    return stat(folder.c_str(), &information) == 0 && may_be_followed(information, link);
}

std::string target_of(const std::string& link) {
    char target[PATH_MAX];
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    return std::string(target, length > 0 ? static_cast<std::size_t>(length) : 0);
}

}  // namespace

void follow_only_own_links(bool only_own) { only_own_links = only_own; }

bool only_own_links_are_followed() { return only_own_links; }

bool may_be_followed(const struct stat& directory, const struct stat& link) {
    if (link.st_uid == geteuid())
        return true;
    if (only_own_links)
        return link.st_uid == 0;
    constexpr mode_t shared = S_ISVTX | S_IWOTH;
    return (directory.st_mode & shared) != shared || link.st_uid == directory.st_uid;
}

std::optional<std::string> behind_links(const std::string& path) {
    constexpr int most_links = 40;  // the same limit as in the kernel
    std::string done(path.starts_with('/') ? 1 : 0, '/');
    std::string rest = path;
    for (int links = 0;;) {
        const std::size_t begin = rest.find_first_not_of('/');
        if (begin == rest.npos)
            return done;
        const std::size_t end = std::min(rest.find('/', begin), rest.size());
        const std::string part = rest.substr(begin, end - begin);
        rest.erase(0, end);
        const std::string folder = done.empty() ? "." : done;
        if (!done.empty() && !done.ends_with('/'))
            done += '/';
        done += part;
        struct stat information;
        if (lstat(done.c_str(), &information) != 0 || !S_ISLNK(information.st_mode))
            continue;
        if (!may_be_followed_in(folder, information)) {
            if (rest.find_first_not_of('/') == rest.npos)
                return done;
            errno = EACCES;
            return std::nullopt;
        }
        const std::string target = target_of(done);
        if (target.empty() || ++links > most_links) {
            errno = ELOOP;
            return std::nullopt;
        }
        done.resize(done.size() - part.size());
        rest.insert(0, target);
        if (target.starts_with('/'))
            done.assign(1, '/');
    }
}

}  // namespace vftrace
