// Frames that end without their exit hooks: longjmp and, past clang's code, C++ exceptions.
//
// The wrappers inform the tree where the program will continue, and then do what the real function
// does. Guards that a signal handler jumps out of are released on the way.
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
    return 0;  // unknown: address order at the next event has to do
#endif
}

// A libc without the function cannot be.
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

// The pointer that the C++ run-time library gives to the code that catches an exception.
using BeginCatch = void* (*)(void*);

// The run-time library that the caller would have got without us: the next one in the global
// scope, or, for a C++ plugin in a C program (dlopen with RTLD_LOCAL), the plugin's own.
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

// libc has one function under several names, and headers pick among them.
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
    // gcc calls exit hooks while the exception unwinds, clang does not: what lies below the
    // function that catches is over either way.
    unwind_to(frame_address());
    BeginCatch real = begin_catch_for(__builtin_return_address(0));
    return real(exception);
}
