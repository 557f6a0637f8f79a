// A lock for code that may run in signal handlers: it is not waited for for ever.
//
// Whoever holds it may have been left by a siglongjmp, or interrupted by the very handler that asks
// for it. Those who do not get it do without what it guards.
#pragma once

#include <cerrno>
#include <ctime>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {

class BoundedLock {
  public:
    // Not for more than about a second. Returns whether the lock is held now.
    bool lock() {
        for (int attempt = 0; __atomic_exchange_n(&held_, true, __ATOMIC_ACQUIRE); attempt++) {
            if (attempt == 10000)
                return false;
            if (attempt < 100) {
                sched_yield();
            } else {  // its owner waits for the kernel: a fork, a page, a file
                // The system call: libc's function is a place where threads are cancelled.
                timespec moment = {0, 50'000};
                int saved_errno = errno;
                syscall(SYS_nanosleep, &moment, nullptr);
                errno = saved_errno;
            }
        }
        return true;
    }
    void unlock() { __atomic_store_n(&held_, false, __ATOMIC_RELEASE); }

  private:
    bool held_ = false;
};

}  // namespace vftrace
