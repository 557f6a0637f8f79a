// Threads that compute while another one creates children, which also compute for a while.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;
static volatile double sink;

__attribute__((noinline)) static void spin(int depth, long turns) {
    double x = 1;
    if (depth > 0)
        spin(depth - 1, turns);
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static void* compute(void* unused) {
    (void)unused;
    while (!stop)
        spin(30, 1000);
    return NULL;
}

int main(void) {
    enum { children = 50 };
    pthread_t threads[2];
    int good = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, compute, NULL);
    for (int i = 0; i < children; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            alarm(20);
            spin(30, 30000);
            _exit(7);
        }
        if (waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7)
            good++;
    }
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d children\n", good);
    return 0;
}
