/* Uses a little of everything that the library handles; prints whether it has more privileges than
   its caller. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vftrace.h>

static volatile long sink;
static jmp_buf place;
static volatile sig_atomic_t signals;

__attribute__((noinline)) static void work(void) {
    for (int i = 0; i < 1000; i++)
        sink += i;
}
__attribute__((noinline)) static void jump(void) { longjmp(place, 1); }
static void* thread(void* argument) {
    work();
    return argument;
}
static void handler(int number) { signals += number == SIGUSR1; }

int main(int count, char** arguments) {
    printf("secure %d\n", getauxval(AT_SECURE) != 0);
    for (int i = 0; i < 100; i++)
        work();
    vftrace_region_begin("a region");
    char* stack = vftrace_get_stack();
    if (getauxval(AT_SECURE))
        printf("stack \"%s\"\n", stack);
    free(stack);
    vftrace_pause();
    work();
    vftrace_resume();
    vftrace_region_end("a region");
    if (!setjmp(place))
        jump();
    pthread_t other;
    pthread_create(&other, 0, thread, &other);
    pthread_join(other, 0);
    struct sigaction action;
    sigaction(SIGTERM, 0, &action);
    printf("SIGTERM %s\n", action.sa_handler == SIG_DFL ? "default" : "handled");
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    printf("signals %d\n", (int)signals);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        work();
        _exit(3);
    }
    int status;
    waitpid(child, &status, 0);
    printf("child %d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (count > 1 && !strcmp(arguments[1], "exec"))
        execl(arguments[0], arguments[0], "last", (char*)0);
    if (count > 1 && !strcmp(arguments[1], "die"))
        abort();
    return 5;
}
