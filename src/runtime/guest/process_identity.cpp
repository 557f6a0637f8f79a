#include "guest/process_identity.hpp"

#include <cerrno>
#include <sys/mman.h>

namespace vftrace {
namespace {

// Memory that is zero at first, without a file behind it. Not mapped at the start, because programs
// that are dumped and restored would find an address there.
constexpr std::size_t page_bytes = 4096;
alignas(page_bytes) char page[page_bytes];

}  // namespace

int* const remembered_identity = reinterpret_cast<int*>(page);
bool identity_is_wiped_on_fork;

void prepare_process_identity() {
    const int saved_errno = errno;
    __atomic_store_n(remembered_identity, 0, __ATOMIC_RELAXED);
    identity_is_wiped_on_fork =
        getpagesize() == page_bytes && madvise(page, sizeof page, MADV_WIPEONFORK) == 0;
    errno = saved_errno;
}

}  // namespace vftrace
