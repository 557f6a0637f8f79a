// The counters of jemalloc: thread.allocatedp and thread.deallocatedp, which "man jemalloc"
// describes.
#include "allocations/jemalloc_counters.hpp"

#include <cerrno>
#include <cstdint>

namespace vftrace {
namespace {

Mallctl* mallctl_found;

struct Counters {
    const std::uint64_t *allocated, *freed;
};
constinit thread_local Counters of_thread = {nullptr, nullptr};

bool find(const char* name, const std::uint64_t*& counter) {
    std::size_t size = sizeof counter;
    return mallctl_found(name, &counter, &size, nullptr, 0) == 0;
}

bool find_counters() {
    const int saved_errno = errno;
    Counters found;
    if (find("thread.allocatedp", found.allocated) && find("thread.deallocatedp", found.freed))
        of_thread = found;
    errno = saved_errno;
    return of_thread.allocated;
}

}  // namespace

bool find_jemalloc_counters(Mallctl* mallctl) {
    mallctl_found = mallctl;
    if (mallctl_found && !find_counters())
        mallctl_found = nullptr;
    return mallctl_found;
}

bool has_jemalloc_counters() { return mallctl_found; }

long long jemalloc_bytes() {
    if (!of_thread.allocated && !find_counters())
        return 0;
    return static_cast<long long>(*of_thread.allocated - *of_thread.freed);
}

}  // namespace vftrace
