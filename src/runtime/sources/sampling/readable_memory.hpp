// Whether memory can be read, for code that follows untrusted pointers.
#pragma once

#include <cerrno>
#include <cstdint>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest/valgrind.hpp"

namespace vftrace {

// Async-signal-safe; preserves errno.
inline bool is_readable(std::uintptr_t address) {
    constexpr int no_such_action = -1;
    constexpr std::size_t word = 8;
    const int saved_errno = errno;
    address &= ~std::uintptr_t{word - 1};
    bool readable;
    if (runs_in_valgrind()) {
        // valgrind would report each use of the call below. Some sandboxes do not allow this one.
        std::uint64_t copy;
        iovec to{&copy, word}, from{reinterpret_cast<void*>(address), word};
        readable = syscall(SYS_process_vm_readv, getpid(), &to, 1, &from, 1, 0) == word;
    } else {
        // Asks the kernel to read a signal set there and to do something undefined with it: the
        // result is EINVAL if the kernel could read the set, else EFAULT. Costs 0.1 us; allowed in
        // every sandbox.
        readable = syscall(SYS_rt_sigprocmask, no_such_action, address, nullptr, word) == 0 ||
                   errno != EFAULT;
    }
    errno = saved_errno;
    return readable;
}

}  // namespace vftrace
