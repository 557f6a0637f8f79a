/* Uses 64 MiB more memory for a while, and 16 at the end. "wait": then prints a line and waits.
 * "fork": a child does the same. "signal": a thread waits for SIGUSR1, which main sends to the
 * process. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void rest(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, 0);
}

static void* more(size_t mebibytes) {
    void* memory =
        mmap(0, mebibytes << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(memory, 1, mebibytes << 20);
    return memory;
}

static void rise_and_fall(void) {
    rest(100);
    void* memory = more(64);
    rest(200);
    munmap(memory, (size_t)64 << 20);
    more(16);
    rest(200);
}

static void* wait_for_signal(void* unused) {
    sigset_t set;
    int number = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigwait(&set, &number);
    printf("signal %d\n", number == SIGUSR1);
    return unused;
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    pid_t child = strcmp(what, "fork") == 0 ? fork() : 1;
    if (!strcmp(what, "signal")) {
        pthread_t thread;
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        pthread_sigmask(SIG_BLOCK, &set, 0);
        pthread_create(&thread, 0, wait_for_signal, 0);
        kill(getpid(), SIGUSR1);
        pthread_join(thread, 0);
    }
    rise_and_fall();
    if (child == 0)
        return 0;
    if (!strcmp(what, "fork"))
        waitpid(child, 0, 0);
    puts("done");
    fflush(stdout);
    if (!strcmp(what, "wait"))
        pause();
    return 0;
}
