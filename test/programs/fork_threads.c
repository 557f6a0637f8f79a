/* Threads and fork: "fork_threads in_thread" forks in a thread, "fork_threads beside" while other
 * threads call functions. The children create a thread too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 2, rounds = 10, calls = 200000 };

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void in_child(void) { leaf(); }
FUNCTION void in_parent(void) { __asm__ volatile(""); }
FUNCTION void* thread_of_child(void* unused) {
    leaf();
    return unused;
}
FUNCTION int run_child(void) {
    pthread_t thread;
    in_child();
    if (pthread_create(&thread, NULL, thread_of_child, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    return 9;
}
FUNCTION void fork_and_wait(void) {
    int status;
    pid_t child = fork();
    if (child == 0)
        exit(run_child());
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    fflush(stdout);
    in_parent();
}
FUNCTION void* forks(void* unused) {
    fork_and_wait();
    return unused;
}
FUNCTION void* works(void* unused) {
    for (int i = 0; i < calls; i++)
        leaf();
    return unused;
}

int main(int count, char** arguments) {
    pthread_t thread[threads];
    if (count > 1 && strcmp(arguments[1], "beside") == 0) {
        for (int i = 0; i < threads; i++)
            pthread_create(&thread[i], NULL, works, NULL);
        for (int i = 0; i < rounds; i++)
            fork_and_wait();
        for (int i = 0; i < threads; i++)
            pthread_join(thread[i], NULL);
    } else {
        pthread_create(&thread[0], NULL, forks, NULL);
        pthread_join(thread[0], NULL);
    }
    return 0;
}
