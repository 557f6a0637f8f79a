// A number by which code knows whether it still runs in the process, more exactly in the memory, in
// which something was noted: a child of fork has another one, however it was created; a child of
// vfork, which shares its parent's memory, has the same.
//
// getpid() is a system call. This is a word in a page that children find wiped.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include "guest/seccomp.hpp"

namespace vftrace {

// 0: not known, or not yet asked for in this process.
extern int* const remembered_identity;
// Whether children find it wiped.
extern bool identity_is_wiped_on_fork;

// Called when the library starts. Without effect on kernels that cannot wipe memory.
void prepare_process_identity();

// Never 0. Async-signal-safe.
inline int process_identity() {
    if (const int known = __atomic_load_n(remembered_identity, __ATOMIC_RELAXED))
        return known;
    if (seccomp_filter_was_noted())  // not even getpid may be allowed
        return -1;
    const int own = static_cast<int>(syscall(SYS_getpid));
    if (identity_is_wiped_on_fork)
        __atomic_store_n(remembered_identity, own, __ATOMIC_RELAXED);
    return own;
}

}  // namespace vftrace
