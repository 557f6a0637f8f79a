/* The jumps of C, each through several functions: longjmp, _longjmp, siglongjmp, with and without
 * the signal mask, out of a signal handler and out of one on a separate stack, on two threads. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#define FUNCTION __attribute__((noinline)) static

enum { threads = 2, rounds = 50 };
static __thread jmp_buf plain;
static __thread sigjmp_buf with_mask;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void jumps(int way) {
    if (way == 0)
        longjmp(plain, 1);
    if (way == 1)
        _longjmp(plain, 1);
    if (way == 2)
        siglongjmp(with_mask, 1);
}
FUNCTION void deeper(int n, int way) {
    if (n > 0)
        deeper(n - 1, way);
    else
        jumps(way);
}
FUNCTION void handler(int number) {
    (void)number;
    jumps(2);
}
FUNCTION void raises(void) { raise(SIGUSR1); }
FUNCTION void with_longjmp(void) {
    if (setjmp(plain) == 0)
        deeper(3, 0);
    leaf();
}
FUNCTION void with_underscore(void) {
    if (_setjmp(plain) == 0)
        deeper(4, 1);
    leaf();
}
FUNCTION void with_siglongjmp(void) {
    if (sigsetjmp(with_mask, 0) == 0)
        deeper(5, 2);
    leaf();
}
FUNCTION void out_of_handler(void) {
    if (sigsetjmp(with_mask, 1) == 0)
        raises();
    leaf();
}
FUNCTION void* worker(void* unused) {
    stack_t stack = {.ss_size = 64 << 10}, none = {.ss_flags = SS_DISABLE};
    for (int i = 0; i < rounds; i++) {
        with_longjmp();
        with_underscore();
        with_siglongjmp();
        out_of_handler();
    }
    stack.ss_sp = malloc(stack.ss_size);
    sigaltstack(&stack, NULL);
    for (int i = 0; i < rounds; i++)
        out_of_handler();
    sigaltstack(&none, NULL);
    free(stack.ss_sp);
    return unused;
}

int main(void) {
    pthread_t thread[threads];
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    leaf();
    puts("done");
    return 0;
}
