/* The threads of C: returned from, left by thrd_exit, detached. */
#include <stdatomic.h>
#include <stdio.h>
#include <threads.h>
#define FUNCTION __attribute__((noinline)) static

static atomic_int ended;

FUNCTION void leaf(void) { __asm__ volatile(""); }
FUNCTION int returns(void* unused) {
    (void)unused;
    leaf();
    return 3;
}
FUNCTION int exits(void* unused) {
    (void)unused;
    leaf();
    thrd_exit(4);
}
FUNCTION int detached(void* unused) {
    (void)unused;
    leaf();
    atomic_store(&ended, 1);
    return 0;
}
FUNCTION thrd_t spawn(thrd_start_t start) {
    thrd_t thread;
    if (thrd_create(&thread, start, NULL) != thrd_success)
        puts("not created");
    return thread;
}

int main(void) {
    int result;
    thrd_join(spawn(returns), &result);
    printf("%d\n", result);
    thrd_join(spawn(exits), &result);
    printf("%d\n", result);
    thrd_detach(spawn(detached));
    while (!atomic_load(&ended))
        thrd_yield();
    return 0;
}
