// Frames that end without their exit hooks: by longjmp and, in code from clang, by C++ exceptions.
//
// The wrappers inform the tree where the program will continue, and then call the real function.
// Guards out of which a signal handler jumps are released in the process.
#include <csetjmp>
#include <cstdint>
#include <dlfcn.h>
#include <link.h>

#include "base/message.hpp"
#include "guest/frame_address.hpp"
#include "guest/next_function.hpp"
#include "tree/call_tree.hpp"

using namespace vftrace;

namespace {

using LongJump = void (*)(jmp_buf, int);

// The stack pointer that setjmp() saved. glibc stores it rotated and xored with a secret of the
// thread (sysdeps/unix/sysv/linux/x86_64: %fs:0x30, rotate left 17; word 6 of the buffer).
std::uintptr_t saved_stack_pointer(const jmp_buf buffer) {
#if defined(__x86_64__) && defined(__GLIBC__)
    auto mangled = reinterpret_cast<const std::uintptr_t*>(buffer)[6];
    std::uintptr_t guard;
    asm("mov %%fs:0x30, %0" : "=r"(guard));
    return (mangled >> 17 | mangled << 47) ^ guard;
#else
    (void)buffer;
    return 0;  // unknown: the order of addresses at the next event must be enough
#endif
}

// Every libc has the function, so it is fatal if it cannot be found.
[[noreturn]] void jump(LongJump& known, const char* name, jmp_buf buffer, int value) {
    const LongJump real = next_function(known, name);
    if (!real) {
        message("cannot find the C library's %s", name);
        __builtin_trap();
    }
    unwind_to(saved_stack_pointer(buffer));
    real(buffer, value);
    __builtin_unreachable();
}

// The type of __cxa_begin_catch, which returns the exception object to the code that catches it.
using BeginCatch = void* (*)(void*);

// The function that the caller would have called without us: from the next run-time library in the
// global scope, or, for a C++ plugin in a C program (dlopen with RTLD_LOCAL), from the plugin's own
// one.
BeginCatch begin_catch_for(void* caller) {
    static BeginCatch global = nullptr;
    if (const BeginCatch found = next_function(global, "__cxa_begin_catch"))
        return found;
    dl_find_object found;
    if (_dl_find_object(caller, &found) != 0)
        return nullptr;
    void* library = dlopen(found.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
        return nullptr;
    auto local = reinterpret_cast<BeginCatch>(dlsym(library, "__cxa_begin_catch"));
    dlclose(library);
    return local;
}

}  // namespace

#define VFTRACE_WRAPPER extern "C" [[gnu::visibility("default")]]

// libc has this function under several names, which headers use.
#define VFTRACE_WRAP_LONGJMP(wrapper, name)                                                        \
    VFTRACE_WRAPPER [[noreturn]] void wrapper(jmp_buf, int) asm(name);                             \
    void wrapper(jmp_buf buffer, int value) {                                                      \
        static LongJump known = nullptr;                                                           \
        jump(known, name, buffer, value);                                                          \
    }

VFTRACE_WRAP_LONGJMP(wrapped_longjmp, "longjmp")
VFTRACE_WRAP_LONGJMP(wrapped_underscore_longjmp, "_longjmp")
VFTRACE_WRAP_LONGJMP(wrapped_siglongjmp, "siglongjmp")
VFTRACE_WRAP_LONGJMP(wrapped_checked_longjmp, "__longjmp_chk")

VFTRACE_WRAPPER void* wrapped_begin_catch(void* exception) asm("__cxa_begin_catch");
void* wrapped_begin_catch(void* exception) {
    // Code from gcc calls exit hooks while the exception unwinds the stack, code from clang does
    // not: in either case, everything below the function that catches has ended.
    unwind_to(frame_address());
    BeginCatch real = begin_catch_for(__builtin_return_address(0));
    return real(exception);
}
