// A lock for code that may run in signal handlers: waiting for it is bounded.
//
// The code that holds it may have been left by a siglongjmp, or interrupted by the very handler
// that wants it. Code that does not get the lock does without what it protects.
#pragma once

#include <cerrno>
#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assertion.hpp"
#include "guest/seccomp.hpp"

namespace vftrace {

class BoundedLock {
  public:
    // Waits for about a second at most. Returns whether the lock is held now.
    bool lock() {
        // Not even getpid may be allowed.
        const int self = seccomp_filter_was_noted() ? -1 : static_cast<int>(syscall(SYS_getpid));
        int holder = 0;
        for (int attempt = 0; !__atomic_compare_exchange_n(&holder_, &holder, self, false,
                                                           __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
             attempt++) {
            if (holder != self)
                continue;  // a thread of the parent, which is not here to unlock it
            holder = 0;
            if (attempt == 10000)
                return false;
            if (attempt < 100) {
                sched_yield();
            } else {  // its owner waits for the kernel: a fork, a page, a file
                // The system call, because libc's function is a cancellation point.
                timespec moment = {0, 50'000};
                int saved_errno = errno;
                syscall(SYS_nanosleep, &moment, nullptr);
                errno = saved_errno;
            }
        }
        return true;
    }
    void unlock() {
        VFTRACE_ASSERT(__atomic_load_n(&holder_, __ATOMIC_RELAXED) != 0);
        __atomic_store_n(&holder_, 0, __ATOMIC_RELEASE);
    }

  private:
    int holder_ = 0;  // process id: a child of fork inherits locks that will never be released
};

}  // namespace vftrace
