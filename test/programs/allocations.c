/* Counts of allocations for each function that allocates, for threads and for children. Prints
   which checks fail, or "all counted", "no counter" or "nothing counted". With an argument: for
   allocators that do not set errno. Compiled with -fno-builtin so that no calls are optimised away.
   */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static long long (*counter)(void);
static int failures, sets_errno;

static long long size_of(void* block) { return (long long)malloc_usable_size(block); }

static void check(int holds, const char* what) {
    if (!holds) {
        printf("failed: %s\n", what);
        failures++;
    }
}

static void fails(void* block, const char* what) {
    check(block == NULL && (errno == ENOMEM || !sets_errno), what);
    errno = 0;
}

/* Checks that the counter has grown by this amount since `before`. */
static void grew(long long before, long long bytes, const char* what) {
    long long counted = counter() - before;
    if (counted != bytes) {
        printf("failed: %s: %lld instead of %lld\n", what, counted, bytes);
        failures++;
    }
}

/* A block that was just allocated is counted, and no longer counted when it is freed. */
static void gives(long long before, void* block, const char* what) {
    check(block != NULL, what);
    grew(before, size_of(block), what);
    free(block);
    grew(before, 0, "free");
}

static void functions(void) {
    const size_t page = (size_t)getpagesize(), too_much = PTRDIFF_MAX;
    void* block = NULL;
    long long before = counter();
    for (size_t size = 0; size < 1000000; size = size * 3 + 1)
        gives(before, malloc(size), "malloc");
    gives(before, malloc(64 << 20), "malloc of much"); /* with its own mapping */
    gives(before, calloc(7, 11), "calloc");
    gives(before, realloc(NULL, 50), "realloc of nothing");
    gives(before, reallocarray(NULL, 5, 70), "reallocarray of nothing");
    gives(before, memalign(256, 100), "memalign");
    gives(before, aligned_alloc(512, 1024), "aligned_alloc");
    gives(before, valloc(100), "valloc");
    block = pvalloc(page + 1);
    check((uintptr_t)block % page == 0 && malloc_usable_size(block) >= 2 * page, "pvalloc");
    gives(before, block, "pvalloc");
    check(posix_memalign(&block, 4096, 100) == 0 && (uintptr_t)block % 4096 == 0, "posix_memalign");
    gives(before, block, "posix_memalign");
    gives(before, strdup("some text"), "strdup");
    free(NULL);
    grew(before, 0, "free of nothing");

    /* What fails is not counted. */
    errno = 0;
    fails(malloc(too_much), "malloc fails");
    fails(calloc(too_much, 3), "calloc fails");
    fails(reallocarray(NULL, too_much, 3), "reallocarray fails");
    fails(aligned_alloc(64, too_much), "aligned_alloc fails");
    fails(memalign(64, too_much), "memalign fails");
    fails(valloc(too_much), "valloc fails");
    fails(pvalloc(SIZE_MAX), "pvalloc fails");
    check(posix_memalign(&block, 3, 100) == EINVAL, "posix_memalign refuses");
    check(posix_memalign(&block, 4096, too_much) == ENOMEM, "posix_memalign fails");
    grew(before, 0, "failures");

    /* errno keeps the caller's value if nothing fails. */
    errno = 1234;
    free(realloc(malloc(10), 5000));
    check(errno == 1234, "errno is kept");
}

static void sizes_that_change(void) {
    long long before = counter();
    char* block = malloc(100);
    strcpy(block, "kept");
    const size_t sizes[] = {120, 100000, 50, 8 << 20, 9 << 20, 10, 0};
    for (const size_t* size = sizes; *size; size++) {
        block = realloc(block, *size);
        grew(before, size_of(block), "realloc");
        check(strcmp(block, "kept") == 0, "realloc keeps what was there");
    }
    errno = 0;
    fails(realloc(block, PTRDIFF_MAX), "realloc fails");
    grew(before, size_of(block), "realloc that fails");
    fails(reallocarray(block, SIZE_MAX / 2, 3), "reallocarray fails");
    grew(before, size_of(block), "reallocarray that fails");
    check(strcmp(block, "kept") == 0, "what cannot be moved is kept");
    block = reallocarray(block, 100, 30);
    grew(before, size_of(block), "reallocarray");
    block = realloc(block, 0); /* some allocators free it, others return another one */
    grew(before, size_of(block), "realloc to nothing");
    free(block);
    grew(before, 0, "realloc, all freed");
}

static void* of_thread[2];
static void* allocates(void* argument) {
    long long before = counter();
    check(before >= 0 && before < 4096, "a thread begins with next to nothing");
    of_thread[0] = malloc(3000);
    of_thread[1] = malloc(5000);
    grew(before, size_of(of_thread[0]) + size_of(of_thread[1]), "malloc in a thread");
    return argument;
}

static pthread_key_t key;
static void* leaves_to_destructor(void* argument) {
    pthread_setspecific(key, malloc(77));
    return argument;
}

static void threads(void) {
    pthread_t thread;
    check(pthread_create(&thread, NULL, allocates, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    long long before = counter(), sizes = size_of(of_thread[0]) + size_of(of_thread[1]);
    free(of_thread[0]);
    free(of_thread[1]);
    grew(before, -sizes, "free of another thread's blocks");

    pthread_key_create(&key, free);
    for (int i = 0; i < 100; i++) {
        pthread_create(&thread, NULL, leaves_to_destructor, NULL);
        pthread_join(thread, NULL);
    }
}

static void* of_handler;
static void handler(int signal) {
    (void)signal;
    of_handler = malloc(400);
}

/* Returns what the child reports: whether something has failed in it. */
static int status_of(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void processes(void) {
    long long before = counter();
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    grew(before, size_of(of_handler), "malloc in a signal handler");

    long long size = size_of(of_handler);
    int failures_before = failures;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        grew(before, size, "a child goes on counting");
        free(of_handler);
        grew(before, 0, "free in a child");
        fflush(stdout);
        _exit(failures > failures_before);
    }
    check(status_of(child) == 0, "a child of fork");
    grew(before, size, "a child's memory is its own");

    child = vfork();
    if (child == 0) {
        free(of_handler);
        _exit(7);
    }
    check(status_of(child) == 7, "a child of vfork");
    grew(before, 0, "memory that is shared with a child");
}

#if defined(__x86_64__) && defined(__GLIBC__)
/* As programs that were linked long ago call it; today's linkers do not see it. */
__asm__(".symver old_cfree, cfree@GLIBC_2.2.5");
void old_cfree(void* block);
static void old_programs(void) {
    long long before = counter();
    void* block = malloc(1000);
    grew(before, size_of(block), "malloc");
    old_cfree(block);
    grew(before, 0, "cfree");
}
#else
static void old_programs(void) {}
#endif

int main(int count, char** arguments) {
    (void)arguments;
    sets_errno = count == 1;
    static char buffer[BUFSIZ];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer); /* else the first line allocates one */
    *(void**)&counter = dlsym(RTLD_DEFAULT, "vftrace_allocated_bytes");
    if (!counter) {
        puts("no counter");
        return 0;
    }
    long long before = counter();
    free(calloc(1, 1000));
    void* block = malloc(1000);
    int counts = counter() != before;
    free(block);
    if (!counts) {
        puts("nothing counted");
        return 0;
    }
    functions();
    sizes_that_change();
    threads();
    processes();
    old_programs();
    puts(failures ? "some failed" : "all counted");
    return failures > 0;
}
