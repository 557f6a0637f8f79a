// A hundred call paths of one thread. Prints the addresses and the memory in use (in KiB), and how
// much of that is the library's code, on the standard error output; with the argument "lock", locks
// all of it while at most 16 MiB may be locked.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define APART __attribute__((noinline))
#define FUNCTION(name)                                                                             \
    APART void name(void) { __asm__ volatile(""); }
FUNCTION(a)
FUNCTION(b)
FUNCTION(c) FUNCTION(d) FUNCTION(e) FUNCTION(f) FUNCTION(g) FUNCTION(h) APART void all(void) {
    a(), b(), c(), d(), e(), f(), g(), h();
}
#define GROUP(name)                                                                                \
    APART void name(void) {                                                                        \
        all();                                                                                     \
        __asm__ volatile("");                                                                      \
    }
/* clang-format off */
GROUP(i)
GROUP(j)
GROUP(k)
GROUP(l)
GROUP(m)
GROUP(n)
GROUP(o)
GROUP(p)
GROUP(q)
/* clang-format on */

static void print_sizes(void) {
    char line[256];
    FILE* status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmSize:", 7) || !strncmp(line, "VmRSS:", 6))
            fputs(line, stderr);
    if (status)
        fclose(status);
}

/* What is mapped of the file is the kernel's choice: all of it, if it is in memory in large pieces.
 */
static void print_code(void) {
    char line[4096];
    long code = 0, size;
    int is_code = 0;
    FILE* maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char rights[8];
        if (sscanf(line, "%*x-%*x %7s", rights) == 1)
            is_code = rights[1] != 'w' && strstr(line, "/libvftrace") != NULL;
        else if (is_code && sscanf(line, "Rss: %ld", &size) == 1)
            code += size;
    }
    if (maps)
        fclose(maps);
    fprintf(stderr, "Code: %ld kB\n", code);
}

static void lock_memory(void) {
    const struct rlimit limit = {16 << 20, 16 << 20};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) || (getuid() == 0 && (setgid(65534) || setuid(65534))))
        puts("no limit");
    puts(mlockall(MCL_CURRENT | MCL_FUTURE) ? strerror(errno) : "locked");
}

static void* thread(void* argument) {
    all();
    return argument;
}

int main(int argc, char** argv) {
    i(), j(), k(), l(), m(), n(), o(), p(), q();
    print_sizes();
    print_code();
    if (argc > 1 && !strcmp(argv[1], "lock"))
        lock_memory();
    void* memory = malloc(1 << 20);
    printf("memory: %s\n", memory ? "yes" : "no");
    free(memory);
    pthread_t id;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    const int error = pthread_create(&id, &attributes, thread, 0);
    printf("thread: %s\n", error ? strerror(error) : "yes");
    if (!error)
        pthread_join(id, 0);
    return 0;
}
