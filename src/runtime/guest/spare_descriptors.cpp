#include "guest/spare_descriptors.hpp"

#include <algorithm>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vftrace {
namespace {

constexpr rlim_t enough = 16;  // for what is open at the same time while a profile is written

constexpr int most_spare = 4;
int spare[most_spare] = {-1, -1, -1, -1};
dev_t spare_device;  // of /dev/null
ino_t spare_inode;

// Programs close descriptors that they do not know, and may have opened others in their place.
bool is_still_ours(int descriptor) {
    struct stat information;
    return descriptor >= 0 && fstat(descriptor, &information) == 0 &&
           information.st_dev == spare_device && information.st_ino == spare_inode;
}

}  // namespace

int move_descriptor_up(int descriptor) {
    constexpr rlim_t high = 768;
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return descriptor;
    const rlim_t least = limit.rlim_cur > high + 128 ? high : limit.rlim_cur / 4 * 3;
    const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(least));
    if (moved < 0)
        return descriptor;
    close(descriptor);
    return moved;
}

void keep_spare_descriptors() {
    for (int& descriptor : spare) {
        if (is_still_ours(descriptor))  // inherited by a child of fork
            continue;
        descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
        struct stat information;
        if (descriptor < 0 || fstat(descriptor, &information) != 0)
            return;
        spare_device = information.st_dev;
        spare_inode = information.st_ino;
        descriptor = move_descriptor_up(descriptor);
    }
}

MoreDescriptors::MoreDescriptors() {
    for (int& descriptor : spare) {
        if (is_still_ours(descriptor))
            close(descriptor);
        descriptor = -1;
    }
    rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max)
        return;
    limit_before_ = limit.rlim_cur;
    limit.rlim_cur = std::min(limit.rlim_cur + enough, limit.rlim_max);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        limit_before_ = 0;
}

MoreDescriptors::~MoreDescriptors() {
    rlimit limit;
    if (limit_before_ == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit_before_;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace vftrace
