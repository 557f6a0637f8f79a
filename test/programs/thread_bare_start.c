/* Threads whose start function is without hooks: some call instrumented functions, some nothing. */
#include <pthread.h>
#include <stdio.h>
#define FUNCTION __attribute__((noinline)) static
#define BARE __attribute__((noinline, no_instrument_function)) static

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION void work(void) { leaf(); }
BARE void* calls(void* unused) {
    work();
    leaf();
    return unused;
}
BARE void* silent(void* unused) { return unused; }
FUNCTION void spawn(void* (*start)(void*)) {
    pthread_t thread;
    pthread_create(&thread, NULL, start, NULL);
    pthread_join(thread, NULL);
}
FUNCTION void spawn_silent(void) { spawn(silent); }

int main(void) {
    for (int i = 0; i < 3; i++) {
        spawn(calls);
        spawn_silent();
    }
    puts("done");
    return 0;
}
