#include "base/guarded.hpp"

#include <locale.h>

#include "base/message.hpp"

namespace vftrace {
namespace {

// The compiler's own setjmp, not libc's, because the library wraps libc's longjmp, and five words
// are enough.
struct Rescue {
    void* registers[5];
    Rescue* outer;
    locale_t locale;
};
__attribute__((tls_model("initial-exec"))) thread_local Rescue* innermost;

}  // namespace

[[gnu::noinline]] bool run_guarded_function(void (*work)(void*), void* argument) {
    Rescue rescue;
    rescue.outer = innermost;
    rescue.locale = uselocale(nullptr);
    if (__builtin_setjmp(rescue.registers) != 0) {
        uselocale(innermost->locale);
        innermost = innermost->outer;
        return false;
    }
    innermost = &rescue;
    work(argument);
    innermost = rescue.outer;
    return true;
}

bool is_guarded() { return innermost; }

// Not inlined, because __builtin_longjmp may not jump within one function.
[[gnu::noinline]] void give_up(const char* why) {
    VFTRACE_MESSAGE_ONCE("%s; a step of the measurement is skipped", why);
    if (!innermost)
        __builtin_trap();
    __builtin_longjmp(innermost->registers, 1);
}

}  // namespace vftrace
