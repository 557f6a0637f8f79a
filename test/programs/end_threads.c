/* One thread dies while others run, which then stop. Arguments: how it dies, and what the main
 * thread does meanwhile. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* how;
static int ends[2];

__attribute__((noinline)) static void work(void) {
    static volatile int sink;
    sink++;
}
static void sleep_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, 0);
}
/* Prints every 20 ms: without the library at most once after the others have given the go. */
static void* talks(void* unused) {
    char go;
    if (read(ends[0], &go, 1) != 1)
        return unused;
    sleep_ms(20);
    for (int i = 0; i < 25; i++) {
        ssize_t written = write(1, "I am still here\n", 16);
        (void)written;
        work();
        sleep_ms(20);
    }
    exit(77);
}
static void* dies(void* unused) {
    work();
    if (write(ends[1], "gogogo", 6) != 6)
        return unused;
    if (!strcmp(how, "segv"))
        *(volatile int*)8 = 1;
    if (!strcmp(how, "term"))
        kill(getpid(), SIGTERM);
    if (!strcmp(how, "_exit"))
        _exit(3);
    for (;;)
        pause();
}

int main(int count, char** arguments) {
    pthread_t talker, talker2, dying;
    how = arguments[1];
    setvbuf(stdout, 0, _IONBF, 0);
    puts("start");
    if (pipe(ends) != 0)
        return 1;
    pthread_create(&talker, 0, talks, 0);
    pthread_create(&talker2, 0, talks, 0);
    work();
    pthread_create(&dying, 0, dies, 0);
    if (count > 2) {
        char go;
        if (read(ends[0], &go, 1) != 1)
            return 1;
        sleep_ms(20);
        if (!strcmp(arguments[2], "returns"))
            return 55;
        _exit(56);
    }
    pthread_join(dying, 0);
    return 2;
}
