// Detects the start of main, whether or not main is instrumented.
//
// The start-up code of every dynamically linked program calls libc's __libc_start_main, which
// initialises the program and then calls main. Our version passes it our own main.
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>

#include "lifecycle/run.hpp"
#include "tree/registry.hpp"

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

Main program_main;

int main_of_library(int count, char** arguments, char** environment) {
    vftrace::start_library();
    // Frames above this one do not belong to the program.
    vftrace::thread_start.first_function =
        reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    vftrace::main_begins();
    int status = program_main(count, arguments, environment);
    asm volatile("");  // keeps this frame: no tail call
    return status;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int __libc_start_main(Main main, int count,
                                                                char** arguments, void (*init)(),
                                                                void (*fini)(), void (*rtld_fini)(),
                                                                void* stack_end) {
    auto real = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
    if (!real)
        abort();  // there is no libc to run the program
    program_main = main;
    return real(main_of_library, count, arguments, init, fini, rtld_fini, stack_end);
}

bool vftrace::main_is_wrapped() {
    // False if the library was opened by dlopen: then main is running already.
    return dlsym(RTLD_DEFAULT, "__libc_start_main") == reinterpret_cast<void*>(&__libc_start_main);
}
