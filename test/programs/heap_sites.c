// Allocates in functions that are known by name, each with sizes and numbers that tests know. With
// an argument "fork", "kill" or "exec" it does that afterwards.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SITE __attribute__((noinline)) static

static void* volatile sink;

SITE void small_temporary(void) {
    for (int i = 0; i < 20000; i++) {
        sink = malloc(48);
        free(sink);
    }
}
SITE void large_temporary(void) {
    for (int i = 0; i < 20; i++) {
        sink = calloc(1000, 1500);
        free(sink);
    }
}
SITE void kept(void) {
    for (int i = 0; i < 500; i++)
        sink = malloc(4000);
}
static void* held[40];
SITE void at_peak(void) {
    for (int i = 0; i < 40; i++)
        held[i] = malloc(200000);
}
SITE void release(void) {
    for (int i = 39; i >= 0; i--)
        free(held[i]);
}
SITE void grown(void) {
    char* text = NULL;
    for (int i = 1; i <= 50; i++)
        text = realloc(text, (size_t)i * 1000);
    if (realloc(text, SIZE_MAX / 4) != NULL || errno != ENOMEM)
        puts("wrong: realloc");
    if (malloc(SIZE_MAX / 4) != NULL || errno != ENOMEM || calloc(SIZE_MAX / 2, 3) != NULL)
        puts("wrong: malloc");
    free(text);
}
SITE void aligned(void) {
    void* block = NULL;
    if (posix_memalign(&block, 256, 3000) != 0 || (uintptr_t)block % 256 != 0)
        puts("wrong: posix_memalign");
    free(block);
    free(aligned_alloc(64, 640));
    free(memalign(4096, 5000));
    free(reallocarray(NULL, 7, 100));
    free(malloc(0));
}
static void* of_thread[100];
SITE void* thread(void* unused) {
    for (int i = 0; i < 100; i++)
        of_thread[i] = malloc(10000);
    return unused;
}
SITE void threads(void) {
    pthread_t one;
    pthread_create(&one, NULL, thread, NULL);
    pthread_join(one, NULL);
    for (int i = 0; i < 100; i++)
        free(of_thread[i]);
}
SITE void child(void) {
    for (int i = 0; i < 10; i++)
        sink = malloc(70000);
}

int main(int argc, char** argv) {
    small_temporary();
    large_temporary();
    kept();
    void* const last = sink;
    at_peak();
    release();
    grown();
    aligned();
    threads();
    puts("done");
    fflush(stdout);
    if (argc > 1 && strcmp(argv[1], "kill") == 0)
        raise(SIGKILL);
    if (argc > 1 && strcmp(argv[1], "exec") == 0)
        execl(argv[0], argv[0], (char*)NULL);
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        const pid_t pid = fork();
        if (pid == 0) {
            free(last);
            child();
            return 0;
        }
        waitpid(pid, NULL, 0);
    }
    return 0;
}
