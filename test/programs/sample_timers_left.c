/* Preloaded: when the library opens the files of its profile, prints how many sample timers are
 * left, and the owner of the signal's handler. */
#include <dlfcn.h>
#define O_RDONLY 0
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int (*Open)(const char*, int, int);

/* The mappings that keep kernel events alive. */
static int mapped_events(Open real) {
    char text[65536];
    int count = 0, file = real("/proc/self/maps", O_RDONLY, 0);
    size_t used = 0;
    ssize_t bytes;
    while (used < sizeof text - 1 && (bytes = read(file, text + used, sizeof text - 1 - used)) > 0)
        used += (size_t)bytes;
    text[used] = '\0';
    close(file);
    for (char* at = text; (at = strstr(at, "[perf_event]")); at++)
        count++;
    return count;
}

static void look(const char* path, Open real) {
    static int looked;
    struct sigaction action;
    if (looked || !strstr(path, "_all."))
        return;
    looked = 1;
    /* Not through the library's wrapper, which shows the program what it has set. */
    int (*query)(int, const struct sigaction*, struct sigaction*) =
        (int (*)(int, const struct sigaction*, struct sigaction*))dlsym(RTLD_NEXT, "sigaction");
    query(SIGURG, NULL, &action);
    printf("timers: %d, default action: %d\n", mapped_events(real), action.sa_handler == SIG_DFL);
    fflush(stdout);
}

#define WRAP(name)                                                                                 \
    int name(const char* path, int flags, int mode) {                                              \
        Open real = (Open)dlsym(RTLD_NEXT, #name);                                                 \
        look(path, real);                                                                          \
        return real(path, flags, mode);                                                            \
    }
#define WRAP_AT(name)                                                                              \
    int name(int folder, const char* path, int flags, int mode) {                                  \
        look(path, (Open)dlsym(RTLD_NEXT, "open"));                                                \
        int (*real)(int, const char*, int, int) =                                                  \
            (int (*)(int, const char*, int, int))dlsym(RTLD_NEXT, #name);                          \
        return real(folder, path, flags, mode);                                                    \
    }
int open(const char* path, int flags, int mode);
int open64(const char* path, int flags, int mode);
WRAP(open)
WRAP(open64)
int openat(int folder, const char* path, int flags, int mode);
int openat64(int folder, const char* path, int flags, int mode);
WRAP_AT(openat)
WRAP_AT(openat64)
