#include "sampling/signal_mask.hpp"

#include <csignal>
#include <cstdint>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/next_function.hpp"
#include "sampling/libunwind.hpp"
#include "sampling/sample_timer.hpp"
#include "tree/upcalls.hpp"

namespace vftrace {
namespace {

using SetMask = int (*)(int, const sigset_t*, sigset_t*);

// The mask as the program sees it.
__attribute__((tls_model("initial-exec"))) thread_local bool believed_blocked;

int change_mask(SetMask real, int how, const sigset_t* set, sigset_t* before) {
    if (is_in_libunwind) {
        if (before)
            sigfillset(before);
        return 0;
    }
    if (!sampled_threads)
        return real(how, set, before);
    sigset_t wanted;
    bool names_it = false;
    if (set) {
        wanted = *set;
        names_it = sigismember(&wanted, sampling_signal) == 1;
        if (how != SIG_UNBLOCK)
            sigdelset(&wanted, sampling_signal);
    }
    const int result = real(how, set ? &wanted : nullptr, before);
    if (result != 0)
        return result;
    if (before && believed_blocked)
        sigaddset(before, sampling_signal);
    if (set && how == SIG_SETMASK)
        believed_blocked = names_it;
    else if (names_it)
        believed_blocked = how == SIG_BLOCK;
    return result;
}

}  // namespace

void allow_sampling_signal() {
    const std::uint64_t set = std::uint64_t{1} << (sampling_signal - 1);
    std::uint64_t before = 0;
    syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, &before, sizeof set);
    believed_blocked = before & set;
}

}  // namespace vftrace

using namespace vftrace;

#define VFTRACE_WRAP_MASK(wrapper, name)                                                           \
    extern "C" [[gnu::visibility("default")]] int wrapper(int, const sigset_t*,                    \
                                                          sigset_t*) noexcept asm(name);           \
    int wrapper(int how, const sigset_t* set, sigset_t* before) noexcept {                         \
        static SetMask known;                                                                      \
        return change_mask(next_function(known, name), how, set, before);                          \
    }
VFTRACE_WRAP_MASK(wrapped_sigprocmask, "sigprocmask")
VFTRACE_WRAP_MASK(wrapped_pthread_sigmask, "pthread_sigmask")
