// A stack for signal handlers, and sigaltstack() as the program sees it.
//
// Handlers of the program that request the alternate stack (SA_ONSTACK) run on ours if the program
// has not set one, so it is larger than we need. This costs addresses, but memory only when it is
// used. The stacks of many threads are in one mapping, because the kernel limits the number of
// mappings of a process (65,530). Each has a guard page below it: one that does not divide the
// mapping, or (before Linux 6.13) only the first ones have it.
#include "lifecycle/alternate_stack.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest/next_function.hpp"
#include "guest/piece_pool.hpp"
#include "guest/seccomp.hpp"
#include "lifecycle/start_sampling.hpp"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace vftrace {
namespace {

__thread char* own_stack;  // lowest address, above the guard page; nullptr: none
__thread std::size_t own_size;

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// The kernel's frame on the stack: all registers, 11 KiB with the newest ones.
std::size_t largest_kernel_frame() {
    constexpr std::size_t of_old_kernels =
        4096;  // which do not provide the value, nor support larger registers
    const std::size_t reported = getauxval(AT_MINSIGSTKSZ);
    return reported ? reported : of_old_kernels;
}

std::size_t wanted_size() {
    constexpr std::size_t generous = 256 * 1024, scarce = 32 * 1024;
    rlimit limit;
    bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    std::size_t size = largest_kernel_frame() + (limited ? scarce : generous);
    return (size + page_size() - 1) / page_size() * page_size();
}

// Bypasses the wrapper below, and those of sanitizers.
bool kernel_stack(const stack_t* wanted, stack_t* before) {
    return syscall(SYS_sigaltstack, wanted, before) == 0;
}

bool set_own_stack() {
    stack_t ours{};
    ours.ss_sp = own_stack;
    ours.ss_size = own_size;
    return kernel_stack(&ours, nullptr);
}

PiecePool stacks;

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

void guard(char* page_below, std::size_t number) {
    constexpr std::size_t divided = 256;
    if (madvise(page_below, page_size(), MADV_GUARD_INSTALL) != 0 && number < divided)
        mprotect(page_below, page_size(), PROT_NONE);
}

void take_stack() {
    static std::size_t size_of_all;  // the same, whichever thread asks for it
    std::size_t size = __atomic_load_n(&size_of_all, __ATOMIC_RELAXED);
    if (size == 0) {
        size = wanted_size();
        __atomic_store_n(&size_of_all, size, __ATOMIC_RELAXED);
    }
    own_size = size;
    own_stack = static_cast<char*>(stacks.take(page_size(), size, guard));
}

void free_own_stack() {
    char* const unused = own_stack;
    own_stack = nullptr;
    stacks.give_back(unused, own_size);
}

}  // namespace

std::size_t bytes_for_handler() {
    // Measured: 1.0 to 1.4 KiB. Recording the kernel's work takes another 0.4, according to the
    // compiler.
    constexpr std::size_t of_ours = 2560;
    return largest_kernel_frame() + of_ours;
}

void give_alternate_stack() {
    int saved_errno = errno;
    stack_t now;
    if (!own_stack && kernel_stack(nullptr, &now) && (now.ss_flags & SS_DISABLE)) {
        take_stack();
        if (own_stack && !set_own_stack())
            free_own_stack();
    }
    errno = saved_errno;
}

void take_alternate_stack() {
    int saved_errno = errno;
    stack_t now;
    if (own_stack && !seccomp_filter_was_noted() && kernel_stack(nullptr, &now)) {
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        // Fails while the stack is in use.
        if (now.ss_sp != own_stack || kernel_stack(&none, nullptr))
            free_own_stack();
    }
    errno = saved_errno;
}

}  // namespace vftrace

using namespace vftrace;

using SetStack = int (*)(const stack_t*, stack_t*);
extern "C" [[gnu::visibility("default")]] int wrapped_sigaltstack(const stack_t*, stack_t*) noexcept
    asm("sigaltstack");
int wrapped_sigaltstack(const stack_t* wanted, stack_t* before) noexcept {
    static SetStack known;
    const SetStack real = next_function(known, "sigaltstack");
    bool disables = wanted && (wanted->ss_flags & SS_DISABLE);  // `before` may be the same object
    if (wanted && !disables)
        leave_alternate_stacks_to_program(wanted->ss_size);
    int result = real(wanted, before);
    if (result == 0 && own_stack) {
        if (before && before->ss_sp == own_stack) {
            before->ss_sp = nullptr;
            before->ss_size = 0;
            before->ss_flags = SS_DISABLE;
        }
        if (disables && !seccomp_filter_was_noted())
            set_own_stack();
    }
    return result;
}
