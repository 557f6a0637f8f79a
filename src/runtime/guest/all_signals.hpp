// Blocks all signals on the calling thread for a while.
#pragma once

#include <csignal>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

namespace vftrace {

// With the system call: the C library's functions leave out the signals that it uses itself.
class AllSignalsBlocked {
  public:
    AllSignalsBlocked() { change(~std::uint64_t{0}, &previous_); }
    ~AllSignalsBlocked() { change(previous_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

    static void block_for_ever() { change(~std::uint64_t{0}, nullptr); }
    static void allow_all() { change(0, nullptr); }

  private:
    static void change(std::uint64_t mask, std::uint64_t* previous) {
        syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, previous, sizeof mask);
    }
    std::uint64_t previous_ = 0;
};

}  // namespace vftrace
