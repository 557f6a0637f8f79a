// The functions of wait_functions.inc, as programs find them when this library is preloaded: they
// call the C library's, and say afterwards what for the thread has waited, if it has. Arguments,
// results, errno and cancellation are those of the real function.
#include <cerrno>
#include <cstdio>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "guest/next_function.hpp"
#include "record/wait_kinds.hpp"

using vftrace::next_function;
using vftrace::WaitKind;

namespace {

// Of libvftrace (waiting/blocking_calls.cpp); nullptr until it has been looked for.
void (*call_begins)(unsigned kind, int descriptor);
void (*call_returned)(unsigned kind, int descriptor);

// The descriptor of a stream; -1 if it does not have one.
int number_of(FILE* stream) {
    const int saved_errno = errno;
    const int number = stream ? fileno_unlocked(stream) : -1;
    errno = saved_errno;
    return number;
}

// All functions of the C library, looked up before the program may call one in a signal handler.
#define VFTRACE_BLOCKING(name, version, result, parameters, arguments, kind, descriptor)           \
    result(*real_##name) parameters;
#define VFTRACE_LOCKING(name, type, try_name)                                                      \
    int (*real_##name)(type*);                                                                     \
    int (*real_##try_name)(type*);
#include "waiting/wait_functions.inc"

[[gnu::constructor(101)]] void look_functions_up() {
#define VFTRACE_BLOCKING(name, version, result, parameters, arguments, kind, descriptor)           \
    next_function(real_##name, #name, version);
#define VFTRACE_LOCKING(name, type, try_name)                                                      \
    next_function(real_##name, #name, nullptr);                                                    \
    next_function(real_##try_name, #try_name, nullptr);
#include "waiting/wait_functions.inc"
    *reinterpret_cast<void**>(&call_begins) = dlsym(RTLD_DEFAULT, "vftrace_wait_call_begins");
    *reinterpret_cast<void**>(&call_returned) = dlsym(RTLD_DEFAULT, "vftrace_wait_call_returned");
}

}  // namespace

#define VFTRACE_BLOCKING(name, version, result, parameters, arguments, kind, descriptor)           \
    extern "C" [[gnu::visibility("default")]] result wrapped_##name parameters asm(#name);         \
    result wrapped_##name parameters {                                                             \
        const auto real = next_function(real_##name, #name, version);                              \
        if (!call_returned)                                                                        \
            return real arguments;                                                                 \
        constexpr auto of = static_cast<unsigned>(WaitKind::kind);                                 \
        const int file = descriptor;                                                               \
        call_begins(of, file);                                                                     \
        result value = real arguments;                                                             \
        call_returned(of, file);                                                                   \
        return value;                                                                              \
    }
// Only a lock that another thread has can make this one wait; any other result is the one that the
// real function would have: it has the lock (EOWNERDEAD, too), or cannot get it.
#define VFTRACE_LOCKING(name, type, try_name)                                                      \
    extern "C" [[gnu::visibility("default")]] int wrapped_##name(type*) asm(#name);                \
    int wrapped_##name(type* lock) {                                                               \
        if (!call_returned)                                                                        \
            return next_function(real_##name, #name, nullptr)(lock);                               \
        const int tried = next_function(real_##try_name, #try_name, nullptr)(lock);                \
        if (tried != EBUSY) [[likely]]                                                             \
            return tried;                                                                          \
        constexpr auto of = static_cast<unsigned>(WaitKind::lock);                                 \
        call_begins(of, -1);                                                                       \
        const int result = next_function(real_##name, #name, nullptr)(lock);                       \
        call_returned(of, -1);                                                                     \
        return result;                                                                             \
    }
#include "waiting/wait_functions.inc"
