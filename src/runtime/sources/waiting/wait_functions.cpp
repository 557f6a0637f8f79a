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
#include "guest/stream_descriptor.hpp"
#include "record/lock_waits.hpp"
#include "record/wait_kinds.hpp"

using vftrace::descriptor_of;
using vftrace::LockKind;
using vftrace::next_function;
using vftrace::WaitKind;

namespace {

// Of libvftrace (waiting/blocking_calls.cpp); nullptr until it has been looked for.
void (*call_begins)(unsigned kind, int descriptor);
void (*call_returned)(unsigned kind, int descriptor);
void (*lock_call_begins)(unsigned kind, const void* lock);
void (*lock_call_returned)(unsigned kind, const void* lock);
void (*lock_made)(const void* lock, bool ends);

// All functions of the C library, looked up before the program may call one in a signal handler.
#define VFTRACE_BLOCKING(name, version, result, parameters, arguments, kind, descriptor)           \
    result(*real_##name) parameters;
#define VFTRACE_LOCK_CALL VFTRACE_BLOCKING
#define VFTRACE_LOCKING(name, type, try_name, kind)                                                \
    int (*real_##name)(type*);                                                                     \
    int (*real_##try_name)(type*);                                                                 \
    int (*quick_##name)(type*); /* nullptr: nobody wants to know who waits */
#define VFTRACE_LOCK_MADE(name, parameters, arguments, ends) int(*real_##name) parameters;
#include "waiting/wait_functions.inc"

int (*real_pthread_once)(pthread_once_t*, void (*)());

template <class Function>
void look_up(Function& ours, const char* name) {
    *reinterpret_cast<void**>(&ours) = dlsym(RTLD_DEFAULT, name);
}

[[gnu::constructor(101)]] void look_functions_up() {
#define VFTRACE_BLOCKING(name, version, result, parameters, arguments, kind, descriptor)           \
    next_function(real_##name, #name, version);
#define VFTRACE_LOCK_CALL VFTRACE_BLOCKING
#define VFTRACE_LOCKING(name, type, try_name, kind)                                                \
    next_function(real_##name, #name);                                                             \
    next_function(real_##try_name, #try_name);
#define VFTRACE_LOCK_MADE(name, parameters, arguments, ends) next_function(real_##name, #name);
#include "waiting/wait_functions.inc"
    next_function(real_pthread_once, "pthread_once");
    look_up(lock_made, "vftrace_lock_made");
    look_up(lock_call_begins, "vftrace_lock_call_begins");
    look_up(lock_call_returned, "vftrace_lock_call_returned");
    look_up(call_begins, "vftrace_wait_call_begins");
    look_up(call_returned, "vftrace_wait_call_returned");
#define VFTRACE_LOCKING(name, type, try_name, kind)                                                \
    quick_##name = lock_call_returned ? real_##try_name : nullptr;
#include "waiting/wait_functions.inc"
}

// Apart, so that taking a free lock needs few registers.
template <class Lock>
[[gnu::noinline]] int wait_for(Lock* lock, LockKind kind, int (*real)(Lock*)) {
    const auto of = static_cast<unsigned>(kind);
    lock_call_begins(of, lock);
    const int result = real(lock);
    lock_call_returned(of, lock);
    return result;
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
#define VFTRACE_LOCK_CALL(name, version, result, parameters, arguments, kind, lock)                \
    extern "C" [[gnu::visibility("default")]] result wrapped_##name parameters asm(#name);         \
    result wrapped_##name parameters {                                                             \
        const auto real = next_function(real_##name, #name, version);                              \
        if (!call_returned)                                                                        \
            return real arguments;                                                                 \
        constexpr auto of = static_cast<unsigned>(LockKind::kind);                                 \
        lock_call_begins(of, lock);                                                                \
        result value = real arguments;                                                             \
        lock_call_returned(of, lock);                                                              \
        return value;                                                                              \
    }
// Only a lock that another thread has can make this one wait; any other result is the one that the
// real function would have: it has the lock (EOWNERDEAD, too), or cannot get it.
#define VFTRACE_LOCKING(name, type, try_name, kind)                                                \
    extern "C" [[gnu::visibility("default")]] int wrapped_##name(type*) asm(#name);                \
    int wrapped_##name(type* lock) {                                                               \
        const auto quick = quick_##name;                                                           \
        if (!quick) [[unlikely]]                                                                   \
            return next_function(real_##name, #name)(lock);                                        \
        const int tried = quick(lock);                                                             \
        if (tried != EBUSY) [[likely]]                                                             \
            return tried;                                                                          \
        return wait_for(lock, LockKind::kind, real_##name);                                        \
    }
#define VFTRACE_LOCK_MADE(name, parameters, arguments, ends)                                       \
    extern "C" [[gnu::visibility("default")]] int wrapped_##name parameters asm(#name);            \
    int wrapped_##name parameters {                                                                \
        const int result = next_function(real_##name, #name) arguments;                            \
        if (lock_made && result == 0)                                                              \
            lock_made(a, ends);                                                                    \
        return result;                                                                             \
    }
#include "waiting/wait_functions.inc"

// The thread that runs the program's function does not wait for the others.
extern "C" [[gnu::visibility("default")]] int wrapped_pthread_once(pthread_once_t*,
                                                                   void (*)()) asm("pthread_once");
int wrapped_pthread_once(pthread_once_t* once, void (*function)()) {
    const auto real = next_function(real_pthread_once, "pthread_once");
    constexpr int in_progress = 1;  // glibc: __PTHREAD_ONCE_INPROGRESS
    if (!call_returned || !(__atomic_load_n(once, __ATOMIC_RELAXED) & in_progress))
        return real(once, function);
    constexpr auto of = static_cast<unsigned>(LockKind::once);
    lock_call_begins(of, once);
    const int result = real(once, function);
    lock_call_returned(of, once);
    return result;
}
