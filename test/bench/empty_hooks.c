/* The minimum cost of any profiler: hooks that do nothing (with -DTIMER: read the time stamp
 * counter), in a shared library. */
#if defined(TIMER) && defined(__x86_64__)
#include <x86intrin.h>
static volatile unsigned long long entered, left;
void __cyg_profile_func_enter(void* function, void* site) { entered = __rdtsc(); }
void __cyg_profile_func_exit(void* function, void* site) { left = __rdtsc(); }
#elif defined(TIMER)
#include <time.h>
static struct timespec now;
void __cyg_profile_func_enter(void* function, void* site) { clock_gettime(CLOCK_MONOTONIC, &now); }
void __cyg_profile_func_exit(void* function, void* site) { clock_gettime(CLOCK_MONOTONIC, &now); }
#else
void __cyg_profile_func_enter(void* function, void* site) {}
void __cyg_profile_func_exit(void* function, void* site) {}
#endif
