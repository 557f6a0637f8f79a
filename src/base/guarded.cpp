// Runs code that may run out of memory, and survives it.
#include "base/guarded.hpp"

#include <cstdlib>

#include "base/message.hpp"

namespace vftrace {
namespace {

// The compiler's own setjmp, not libc's: ours wraps libc's longjmp, and five words are enough.
struct Rescue {
    void* registers[5];
    Rescue* outer;
};
__attribute__((tls_model("initial-exec"))) thread_local Rescue* innermost;

}  // namespace

[[gnu::noinline]] bool run_guarded(void (*work)(void*), void* argument) {
    Rescue rescue;
    rescue.outer = innermost;
    if (__builtin_setjmp(rescue.registers) != 0) {
        innermost = innermost->outer;
        return false;
    }
    innermost = &rescue;
    work(argument);
    innermost = rescue.outer;
    return true;
}

// Not inlined: __builtin_longjmp may not jump within one function.
[[gnu::noinline]] void give_up(const char* why) {
    message("%s; going on without", why);
    if (!innermost)
        _Exit(EXIT_FAILURE);
    __builtin_longjmp(innermost->registers, 1);
}

}  // namespace vftrace
