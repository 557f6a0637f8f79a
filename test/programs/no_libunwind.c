// Preloaded: simulates a machine without libunwind.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

static int missing;

void* dlopen(const char* name, int flags) {
    static void* (*real)(const char*, int);
    if (name && strncmp(name, "libunwind", 9) == 0) {
        missing = 1;
        return NULL;
    }
    if (!real)
        real = (void* (*)(const char*, int))dlsym(RTLD_NEXT, "dlopen");
    return real(name, flags);
}

char* dlerror(void) {
    static char* (*real)(void);
    if (missing) {
        missing = 0;
        return "not here";
    }
    if (!real)
        real = (char* (*)(void))dlsym(RTLD_NEXT, "dlerror");
    return real();
}
