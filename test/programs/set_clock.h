// A clock that the program sets itself, which replaces the C library's, also for the profiler. C or
// C++; to be included once.
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#define NO_EXCEPTION noexcept
#else
#define NO_EXCEPTION
#endif

// Without hooks, because these would ask for the time.
#define UNSEEN __attribute__((no_instrument_function))

static long long now_ns = 1000000000;

UNSEEN int clock_gettime(clockid_t clock, struct timespec* time) NO_EXCEPTION {
    if (clock != CLOCK_MONOTONIC)
        return (int)syscall(SYS_clock_gettime, clock, time);
    const long long now = __atomic_load_n(&now_ns, __ATOMIC_RELAXED);
    time->tv_sec = now / 1000000000;
    time->tv_nsec = now % 1000000000;
    return 0;
}

// The kernel then seems to have no other clock.
UNSEEN int open(const char* path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = va_arg(more, int);
    va_end(more);
    if (!strstr(path, "current_clocksource"))
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    const int file = memfd_create("clocksource", MFD_CLOEXEC);
    if (write(file, "hpet\n", 5) == 5)
        lseek(file, 0, SEEK_SET);
    return file;
}

// Threads of the profiler may read the clock meanwhile.
UNSEEN static void take(double seconds) {
    __atomic_fetch_add(&now_ns, (long long)(seconds * 1e9 + 0.5), __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif
