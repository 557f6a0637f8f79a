// swapcontext and setcontext: the thread continues on another stack.
//
// The wrappers inform the tree before the switch. The range of the stack is the one that the
// program gave to makecontext, if it contains the address at which the thread continues.
#include <cstdint>
#include <ucontext.h>

#include "guest/next_function.hpp"
#include "tree/call_tree.hpp"

using namespace vftrace;

namespace {

void note_target(const ucontext_t* target) {
#if defined(__x86_64__)
    auto stack = static_cast<std::uintptr_t>(target->uc_mcontext.gregs[REG_RSP]);
#elif defined(__aarch64__)
    auto stack = static_cast<std::uintptr_t>(target->uc_mcontext.sp);
#else
    std::uintptr_t stack = 0;  // unknown: the next event's address must be enough
#endif
    auto low = reinterpret_cast<std::uintptr_t>(target->uc_stack.ss_sp);
    if (stack)
        note_stack_switch(stack, low, low + target->uc_stack.ss_size);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int
swapcontext(ucontext_t* __restrict save, const ucontext_t* __restrict target) noexcept {
    static int (*known)(ucontext_t*, const ucontext_t*);
    const auto real = next_function(known, "swapcontext");
    note_target(target);
    return real(save, target);
}

extern "C" [[gnu::visibility("default")]] int setcontext(const ucontext_t* target) noexcept {
    static int (*known)(const ucontext_t*);
    const auto real = next_function(known, "setcontext");
    note_target(target);
    return real(target);
}
